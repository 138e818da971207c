import { resolve } from 'node:path';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import { backupPhrases } from '@propusk/phrases/launcher';
import { ask, explain, say } from '../command.ts';
import { BackupRefused } from './backup-refused.ts';
import { type Header, openWith, type PassKeys } from './header.ts';

/** A stolen file can be attacked offline, where argon2id's 64 MiB per attempt do not make up for a short passphrase. */
const SHORTEST = 12;
/** How often a restore asks for the passphrase. */
const MAX_QUESTIONS = 3;

/**
 * The FILE of `npm run <command> -- FILE`, relative to the folder where npm was called.
 * @throws BackupRefused without exactly one file, and for an unknown option
 */
export function fileArgument(command: string, args: readonly string[] = process.argv.slice(2)): string {
  const [name, ...rest] = args;
  if (name === undefined || rest.length > 0 || name.startsWith('--')) {
    throw new BackupRefused(backupPhrases.fileArgument(command));
  }
  return resolve(process.env.INIT_CWD ?? '.', name);
}

/**
 * The passphrase of a backup: BACKUP_PASSPHRASE, or typed at the terminal, which does not show it.
 * @param making for a new backup: the passphrase is prompted twice, and must not be short
 * @throws BackupRefused, and StartError as `ask`
 */
export async function readPassphrase(env: NodeJS.ProcessEnv, making: boolean): Promise<string> {
  const given = env.BACKUP_PASSPHRASE;
  if (given) return checked(given, making);
  if (!process.stdin.isTTY) {
    throw new BackupRefused(backupPhrases.noPassphrase());
  }
  if (!making) return ask(backupPhrases.askPassphrase(), true);
  const first = checked(await ask(backupPhrases.askNewPassphrase(SHORTEST), true), true);
  if ((await ask(backupPhrases.askAgain(), true)) !== first)
    throw new BackupRefused(backupPhrases.passphrasesDiffer());
  return first;
}

/**
 * Opens a backup with its passphrase. In a terminal, asks again when the passphrase is wrong: a backup of another machine does not open
 * with the passphrase of this machine.
 * @throws BackupRefused, and StartError as `ask`
 */
export async function unlock(
  header: Pick<Header, 'salt' | 'check'>,
  env: NodeJS.ProcessEnv,
): Promise<{ passphrase: string; keys: PassKeys }> {
  let passphrase = await readPassphrase(env, false);
  for (let asked = env.BACKUP_PASSPHRASE ? 0 : 1; ; asked++) {
    try {
      return { passphrase, keys: await openWith(passphrase, header) };
    } catch (error) {
      const isWrong = error instanceof BackupRefused;
      if (!isWrong || !process.stdin.isTTY || asked === MAX_QUESTIONS) throw error;
    }
    passphrase = await ask(backupPhrases.passphraseOfBackup(), true);
  }
}

function checked(phrase: string, making: boolean): string {
  if (!making || Array.from(phrase).length >= SHORTEST) return phrase;
  throw new BackupRefused(backupPhrases.passphraseShort(SHORTEST));
}

/** Opens the embedded database of a locked data folder until `opened` is disposed. @returns its url */
export async function openDatabase(dataDir: string, opened: AsyncDisposableStack): Promise<string> {
  const database = await openEmbedded({ dataDir, onProgress: say });
  opened.defer(database.close);
  return database.url;
}

/** The line for the operator: a connection error of PostgreSQL names DATABASE_URL, other errors explain themselves. */
export function explainBackup(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return explain(error);
  const code = String(error.code);
  const isUnreachable = /^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|08|57P)/.test(code);
  if (isUnreachable) return backupPhrases.databaseSilent(error.message || code);
  // Classes 28 (invalid authorization) and 3D (no such database) of SQLSTATE.
  if (/^(28|3D)/.test(code)) return backupPhrases.databaseDenies(error.message);
  return explain(error);
}
