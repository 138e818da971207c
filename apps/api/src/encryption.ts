import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Seals the secrets that the database keeps. A sealed text opens only in the place it was sealed for. */
export interface Encryption {
  /** @param place what the text belongs to, such as `proxy/12/7`: a ciphertext moved elsewhere does not open */
  seal(place: string, text: string): Buffer;
  /** @throws Error when the key or the place is another, or a bit was changed */
  open(place: string, sealed: Buffer): string;
  /** A keyed hash: equal texts have equal ones, and without the key nobody can try texts against one. */
  fingerprint(text: string): Buffer;
  /** Tells this key from another without telling the key. */
  readonly check: Buffer;
}

const NONCE = 12;
const TAG = 16;

/**
 * AES-256-GCM under a key derived from SECRET_KEY (RFC 5869), with a random 96-bit nonce a text (NIST SP 800-38D).
 * Layout: nonce, tag, ciphertext.
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

/** A key for each use, so that what one of them gives away says nothing of another (RFC 5869). */
function derived(secretKey: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'propusk', use, 32));
}

/** The place of a proxy's password: the ciphertext opens in no other row and for no other owner. */
export function passwordPlace(ownerId: number, proxyId: number): string {
  return `proxy/${ownerId}/${proxyId}`;
}
