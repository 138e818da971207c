import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * The snapshot's file, encrypted with AES-256-GCM (NIST SP 800-38D) because it holds upstream passwords. Writes are atomic.
 *
 *   magic 'PROPUSK' | format version (1 byte) | nonce (12) | tag (16) | ciphertext
 *
 * Magic and version are authenticated with the rest.
 */

const HEADER = Buffer.from('PROPUSK\u0001', 'latin1');
const NONCE = 12;
const TAG = 16;

/** A file that exists and cannot be trusted. The message names the fault. */
export class SnapshotFault extends Error {}

/** Encrypts with a fresh nonce. */
export function seal(key: Buffer, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG }).setAAD(HEADER);
  const sealed = cipher.update(plain);
  // GCM is a stream mode: final() returns no bytes, so that the large ciphertext need not be copied.
  cipher.final();
  return Buffer.concat([HEADER, nonce, cipher.getAuthTag(), sealed]);
}

/** @throws SnapshotFault for another format, a wrong key, or a single changed bit */
export function unseal(key: Buffer, file: Buffer): Buffer {
  if (!file.subarray(0, HEADER.length).equals(HEADER))
    throw new SnapshotFault('Not a snapshot of this format');
  const [nonceEnd, tagEnd] = [HEADER.length + NONCE, HEADER.length + NONCE + TAG];
  if (file.length < tagEnd) throw new SnapshotFault('Cut short');
  const nonce = file.subarray(HEADER.length, nonceEnd);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  decipher.setAAD(HEADER).setAuthTag(file.subarray(nonceEnd, tagEnd));
  try {
    const plain = decipher.update(file.subarray(tagEnd));
    decipher.final();
    return plain;
  } catch {
    throw new SnapshotFault('Damaged, or sealed with another GATEWAY_SECRET');
  }
}

/** @returns null when there is no file */
export async function readSnapshotFile(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Replaces the file atomically: a crash leaves the old one or the new one. The folder is not synced: after a power cut the older
 * file may be back, but the time in it shows its age.
 */
export async function writeSnapshotFile(path: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes a file that grants revoked access and cannot be journaled. */
export function removeSnapshotFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A missing or read-only folder: its snapshot is not renewed either and becomes stale.
  }
}

/** Renames a file that cannot be trusted; it may be the only copy. @returns its new name */
export async function setAside(path: string): Promise<string> {
  const aside = `${path}.damaged-${Date.now()}`;
  await rename(path, aside);
  return aside;
}
