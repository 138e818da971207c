import { randomBytes } from 'node:crypto';
import { accountNames } from '@propusk/phrases/accounts';
import { Secret, TOTP } from 'otpauth';

// RFC 6238 with the parameters that every app supports: SHA-1, 6 digits, steps of 30 seconds. RFC 4226 section 4 asks for
// secrets of 160 bits.
const SECONDS = 30;
const SECRET_BYTES = 20;
/** Accepted clock drift of a phone, in steps either way (RFC 6238 section 5.2). */
const WINDOW = 1;

/** A new secret, in base32 (RFC 4648). */
export function newSecret(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(SECRET_BYTES)).buffer }).base32;
}

/** The `otpauth:` address for a QR code. @param email the account's label in the app */
export function enrolmentUri(secret: string, email: string): string {
  return totp(secret, email).toString();
}

/**
 * Finds the time step of a code among the current step and its neighbours.
 * @param code the user's input without spaces
 * @param now milliseconds since 1970
 * @returns null when the code belongs to none of these steps
 */
export function stepOf(secret: string, code: string, now = Date.now()): number | null {
  // otpauth throws when 6 characters take more than 6 bytes, so only ASCII digits may reach it.
  if (!/^\d{6}$/.test(code)) return null;
  const delta = totp(secret).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / (SECONDS * 1000)) + delta;
}

function totp(secret: string, label = ''): TOTP {
  return new TOTP({
    issuer: accountNames.issuer,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: SECONDS,
    secret: Secret.fromBase32(secret),
  });
}
