import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

// RFC 6238 as every app reads it: SHA-1, 6 digits, steps of 30 seconds, and the 160 bits that RFC 4226 section 4 asks for.
const ISSUER = 'Пропуск';
const SECONDS = 30;
const SECRET_BYTES = 20;
/** Steps that a phone's clock may be early or late by (RFC 6238 section 5.2). */
const WINDOW = 1;

/** A new secret, in base32 (RFC 4648). */
export function newSecret(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer }).base32;
}

/** The address that a QR code carries to an app. @param email what the app calls the account */
export function enrolmentUri(secret: string, email: string): string {
  return totp(secret, email).toString();
}

/**
 * The time step whose code this is, of the current one and its neighbours.
 * @param code what was typed, without spaces
 * @param now milliseconds since 1970
 * @returns null when it is the code of none of them
 */
export function stepOf(secret: string, code: string, now = Date.now()): number | null {
  // The library compares texts of as many letters, and throws where those are not as many bytes.
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totp(secret).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / (SECONDS * 1000)) + delta;
}

function totp(secret: string, label = ''): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: SECONDS,
    secret: Secret.fromBase32(secret),
  });
}
