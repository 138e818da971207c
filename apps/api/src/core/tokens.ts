import { createHash, randomBytes } from 'node:crypto';

/** Creates a random token of 256 bits, and the hash that is stored in its place. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/**
 * The stored hash of a token, by which it is found. It needs no salt and no stretching, because the token is random and long
 * (NIST SP 800-63B section 5.1.2.2 requires them for short ones).
 */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
