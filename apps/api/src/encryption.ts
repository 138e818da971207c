import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { proxyAddress } from '@propusk/contract/proxies';

/** Encrypts secrets in the database. A ciphertext decrypts only with the additional authenticated data of its encryption. */
export interface Encryption {
  /** @param place additional authenticated data, such as `proxy/12/7`: a ciphertext copied to another row does not decrypt */
  seal(place: string, text: string): Buffer;
  /** @throws Error when the key or `place` differs, or the ciphertext was changed */
  open(place: string, sealed: Buffer): string;
  /** A deterministic keyed hash: without the key, guesses cannot be checked against it. */
  fingerprint(text: string): Buffer;
  /** Identifies the key without revealing it. */
  readonly check: Buffer;
}

const NONCE = 12;
const TAG = 16;

/**
 * Creates an `Encryption` with AES-256-GCM. Its key is derived from SECRET_KEY (RFC 5869). Each text gets a
 * random 96-bit nonce (NIST SP 800-38D). The result consists of nonce, tag and ciphertext.
 */
export function createEncryption(secretKey: string): Encryption {
  const key = derived(secretKey, 'sealed-columns');
  const fingerprints = derived(secretKey, 'fingerprints');
  return {
    seal(place, text) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(place, sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE + TAG)), decipher.final()]).toString(
        'utf8',
      );
    },
    fingerprint: (text) => createHmac('sha256', fingerprints).update(text).digest(),
    check: createHmac('sha256', key).update('key-check').digest(),
  };
}

/** Derives a separate key for each use, so that a leak of one does not affect another (RFC 5869). */
function derived(secretKey: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'propusk', use, 32));
}

/**
 * Additional authenticated data for a proxy's password. It binds the ciphertext to its row, its owner and the address that the
 * password was typed for, so that a row with another host or port yields no password.
 */
export function passwordPlace(
  ownerId: number,
  { id, host, port }: { id: number; host: string; port: number },
): string {
  return `proxy/${ownerId}/${id}/${proxyAddress(host, port)}`;
}
