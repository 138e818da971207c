import { createHmac, hkdfSync } from 'node:crypto';
import { seal, unseal } from '@propusk/access/sealed';
import { proxyAddress } from '@propusk/contract/proxies';

/** Encrypts secrets in the database. A ciphertext decrypts only with the additional authenticated data of its encryption. */
export interface Encryption {
  /** @param place additional authenticated data that identify a row, such as `proxy/12/7`. For another row, decryption fails. */
  seal(place: string, text: string): Buffer;
  /** @throws Error when `seal` used another key or another `place`, or when the ciphertext was changed */
  open(place: string, sealed: Buffer): string;
  /** Returns a deterministic keyed hash. Without the key, an attacker cannot check guesses of the text against the hash. */
  fingerprint(text: string): Buffer;
  /** A hash that identifies the key without revealing the key. */
  readonly check: Buffer;
}

/**
 * Creates an `Encryption` with the key that is derived from SECRET_KEY (RFC 5869).
 */
export function createEncryption(secretKey: string): Encryption {
  const key = derived(secretKey, 'sealed-columns');
  const fingerprints = derived(secretKey, 'fingerprints');
  return {
    seal: (place, text) => seal(key, text, place),
    open: (place, sealed) => unseal(key, sealed, place).toString(),
    fingerprint: (text) => createHmac('sha256', fingerprints).update(text).digest(),
    check: createHmac('sha256', key).update('key-check').digest(),
  };
}

/** Derives a separate key for each use (RFC 5869), so that a leaked key does not affect the other uses. */
function derived(secretKey: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'propusk', use, 32));
}

/**
 * Returns the additional authenticated data for a proxy password: the ids of owner and proxy, and the proxy's host and port. If
 * one of these values changes, the stored password no longer decrypts.
 */
export function passwordPlace(
  ownerId: number,
  { id, host, port }: { id: number; host: string; port: number },
): string {
  return `proxy/${ownerId}/${id}/${proxyAddress(host, port)}`;
}
