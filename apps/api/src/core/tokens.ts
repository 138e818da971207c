import { createHash, randomBytes } from 'node:crypto';

/** Creates a random token of 256 bits, and the hash that is stored in its place. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

/**
 * Returns the hash by which a stored token is found. A random token of 256 bits needs no salt and no stretching, which NIST
 * SP 800-63B section 5.1.2.2 requires only for short secrets.
 */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
