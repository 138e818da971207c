import { createHash, randomBytes } from 'node:crypto';

/** A fresh token of 256 bits, and the hash that is stored instead of it. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** What is stored of a token, and found by it. */
// No salt and no stretching: the token is random and long (NIST SP 800-63B section 5.1.2.2 asks them for short ones).
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
