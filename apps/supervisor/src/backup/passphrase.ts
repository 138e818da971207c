import { backupPhrases } from '@propusk/phrases/launcher';
import { ask } from '../command.ts';
import { BackupRefused } from './backup-refused.ts';

/** A stolen file can be attacked offline, where argon2id's 64 MiB per attempt do not make up for a short passphrase. */
const SHORTEST = 12;

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

function checked(phrase: string, making: boolean): string {
  if (!making || Array.from(phrase).length >= SHORTEST) return phrase;
  throw new BackupRefused(backupPhrases.passphraseShort(SHORTEST));
}
