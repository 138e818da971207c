import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Encryption } from '../encryption.ts';

const LIFE_MS = 180 * 86_400_000;
const [TIME, NONCE, EPOCH, MAC] = [6, 12, 8, 16];
const LENGTH = TIME + NONCE + EPOCH + MAC;

/** A device mark with a valid signature. */
export interface DeviceMark {
  /** The unique id of the mark; undefined when the password has changed since the mark was issued. */
  idUnder(passwordHash: string): string | undefined;
}

/**
 * Issues a device mark for a browser that has just signed in. The mark grants no access, only a separate budget of password checks
 * for one account. Layout, in base64url: time, nonce, epoch, MAC; the MAC also covers the email. The epoch is a keyed hash of the
 * password hash, so a new password invalidates every mark of the account without a database column.
 */
export function issueMark(
  encryption: Encryption,
  email: string,
  passwordHash: string,
  now = Date.now(),
): string {
  const time = Buffer.alloc(TIME);
  time.writeUIntBE(now, 0, TIME);
  const signed = Buffer.concat([time, randomBytes(NONCE), epochOf(encryption, passwordHash)]);
  return Buffer.concat([signed, macOf(encryption, signed, email)]).toString('base64url');
}

/**
 * Verifies the device mark that a caller sent for an email. Returns null for a missing, forged or expired
 * mark, and for a mark of another account.
 */
export function readMark(
  encryption: Encryption,
  email: string,
  given: string | undefined,
  now = Date.now(),
): DeviceMark | null {
  if (given === undefined || !/^[\w-]{56}$/.test(given)) return null;
  const bytes = Buffer.from(given, 'base64url');
  if (bytes.length !== LENGTH) return null;
  const signed = bytes.subarray(0, LENGTH - MAC);
  if (!timingSafeEqual(bytes.subarray(LENGTH - MAC), macOf(encryption, signed, email))) return null;
  if (bytes.readUIntBE(0, TIME) + LIFE_MS < now) return null;
  const epoch = signed.subarray(TIME + NONCE);
  return {
    idUnder: (passwordHash) =>
      timingSafeEqual(epoch, epochOf(encryption, passwordHash)) ? signed.toString('base64url') : undefined,
  };
}

const epochOf = (encryption: Encryption, passwordHash: string) =>
  encryption.fingerprint(`device-epoch/${passwordHash}`).subarray(0, EPOCH);

// Folds case like the citext column of emails.
const macOf = (encryption: Encryption, signed: Buffer, email: string) =>
  encryption
    .fingerprint(`device-mark/${signed.toString('base64url')}/${email.trim().toLowerCase()}`)
    .subarray(0, MAC);
