import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { signingPhrases } from '@propusk/phrases/launcher';
import * as z from 'zod/mini';
import { unlock } from './command-line.ts';
import { Sealer } from './frames.ts';
import { openWith, passFields, passKeys } from './header.ts';

/**
 * The private signing key of the extension, encrypted in the format of a backup frame. Root encrypts and decrypts it. Backups run as an
 * unprivileged user and only copy the file.
 */
export type Sealed = z.infer<typeof Sealed>;
const Sealed = z.object({
  /** The id of the extension in Chromium. */
  id: z.string(),
  /** The id of the extension in Firefox, which does not follow from the key. */
  firefoxId: z.string(),
  ...passFields,
  /** The encrypted key, base64. Its additional authenticated data covers the other fields. */
  frame: z.string(),
});

type Ids = Pick<Sealed, 'id' | 'firefoxId'>;

const sealerOf = (key: Buffer, { id, firefoxId, salt, check }: Omit<Sealed, 'frame'>) =>
  new Sealer(key, Buffer.from(JSON.stringify({ id, firefoxId, salt, check })));

/** @returns the text of the file */
export async function sealKey(pem: Buffer, ids: Ids, passphrase: string): Promise<string> {
  const salt = randomBytes(16).toString('base64url');
  const { frames, check } = await passKeys(passphrase, salt);
  const bound = { ...ids, salt, check };
  const frame = await sealerOf(frames, bound).seal({ table: 'extension-key' }, pem);
  return `${JSON.stringify({ ...bound, frame: frame.toString('base64') })}\n`;
}

/** @returns null when the file is absent, unreadable or damaged */
export function readSealed(path: string): Sealed | null {
  try {
    return z.parse(Sealed, JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * @returns the key as PEM
 * @throws BackupRefused when the passphrase is wrong or the file is damaged; StartError when no passphrase is set and
 *   there is no terminal to ask for it
 */
export async function unsealKey(sealed: Sealed, env: NodeJS.ProcessEnv): Promise<string> {
  const { keys } = await unlock(sealed, env);
  const bytes = Buffer.from(sealed.frame, 'base64');
  const { rows } = await sealerOf(keys.frames, sealed).open(bytes.subarray(0, 4), bytes.subarray(4));
  return rows.toString().trim();
}

/** @returns the text of the file for a backup; undefined, with a warning, when the passphrase of the backup does not open it */
export async function sealedForBackup(path = '', passphrase: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  const sealed = readSealed(path);
  const keys = sealed && (await openWith(passphrase, sealed).catch(() => null));
  if (keys !== null) return JSON.stringify(sealed);
  process.stderr.write(`${signingPhrases.sealLeftOut(path)}\n`);
  return undefined;
}
