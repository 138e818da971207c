import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Mail } from './compose-mail.ts';

const composer = createTransport({
  streamTransport: true,
  buffer: true,
  disableFileAccess: true,
  disableUrlAccess: true,
});

/**
 * Writes a mail as an `.eml` file readable only by its owner, because its link opens an account.
 * @returns the file's path
 * @throws Error of node:fs; a failed write leaves no partial file
 */
export async function writeToFolder(folder: string, message: Mail & { from: string }): Promise<string> {
  const { message: bytes } = await composer.sendMail({ ...message, textEncoding: 'base64' });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Sorts by time, with a random part against collisions.
  const name = `${new Date().toISOString().replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}`;
  const [part, file] = [join(folder, `.${name}.part`), join(folder, `${name}.eml`)];
  try {
    await writeFile(part, bytes, { mode: 0o600, flag: 'wx' });
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return file;
}
