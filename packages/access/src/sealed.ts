import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE = 12;
const TAG = 16;
/** The length of nonce and tag, before the ciphertext. */
export const SEAL_HEAD = NONCE + TAG;

/**
 * Encrypts with AES-256-GCM and a random 96-bit nonce (NIST SP 800-38D).
 * @param key 32 bytes
 * @param about additional authenticated data, such as the place of the ciphertext. With other data, `unseal` fails
 * @returns nonce, tag and ciphertext
 */
export function seal(key: CipherKey, plain: string | Buffer, about: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(about));
  const sealed = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  // GCM is a stream mode: final() returns no bytes.
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws Error for a wrong key, another `about`, and a ciphertext that was changed or cut short */
export function unseal(key: CipherKey, sealed: Uint8Array, about: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(NONCE, SEAL_HEAD));
  const plain = decipher.update(sealed.subarray(SEAL_HEAD));
  decipher.final();
  return plain;
}
