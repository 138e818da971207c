import { X509Certificate } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Certificate, readCertificate } from '@propusk/certificate/certificate-files';
import { createKey } from './issue.ts';
import type { Order } from './settings.ts';

/** Reads the ACME account key, and creates it at the first start. @throws Error of node:fs */
export async function readAccountKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const key = createKey();
    await write(path, key, 0o600);
    return key;
  }
}

/** Reads the stored certificate of an order; null if a file is missing or unreadable, or the certificate is for another name. */
export async function readStored({ name, places }: Order): Promise<Certificate | null> {
  try {
    const [first] = await Promise.all(places.map(readCertificate));
    return first !== undefined && new X509Certificate(first.cert).checkHost(name) ? first : null;
  } catch {
    return null;
  }
}

/** Writes a certificate and its key to all files of an order. While the files do not match, readers keep the old pair. */
export async function store({ places }: Order, { cert, key }: Certificate): Promise<void> {
  for (const place of places) {
    // The gateway runs as another user. The group of TLS_DIR lets that user read the files.
    const mode = place.settings[1] === 'TLS_DIR' ? 0o640 : 0o600;
    await write(place.key, key, mode);
    await write(place.cert, cert, mode);
  }
}

/** Writes a file atomically: a reader finds either the old or the new content, also after a power failure. */
async function write(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(text);
    // Unlike open(), chmod() ignores the umask, which may be stricter than the mode.
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}
