import { backupPhrases } from '@propusk/phrases/launcher';
import { BackupRefused } from './backup-refused.ts';

/** A stolen file can be attacked offline, where argon2id's 64 MiB per attempt do not make up for a short passphrase. */
const SHORTEST = 12;

/**
 * The passphrase of a backup: BACKUP_PASSPHRASE, or typed at the terminal, which does not show it.
 * @param making for a new backup: the passphrase is prompted twice, and must not be short
 * @throws BackupRefused
 */
export async function readPassphrase(env: NodeJS.ProcessEnv, making: boolean): Promise<string> {
  const given = env.BACKUP_PASSPHRASE;
  if (given) return checked(given, making);
  if (!process.stdin.isTTY) {
    throw new BackupRefused(backupPhrases.noPassphrase());
  }
  if (!making) return ask(backupPhrases.askPassphrase());
  const first = checked(await ask(backupPhrases.askNewPassphrase(SHORTEST)), true);
  if ((await ask(backupPhrases.askAgain())) !== first)
    throw new BackupRefused(backupPhrases.passphrasesDiffer());
  return first;
}

function checked(phrase: string, making: boolean): string {
  if (!making || Array.from(phrase).length >= SHORTEST) return phrase;
  throw new BackupRefused(backupPhrases.passphraseShort(SHORTEST));
}

/** Reads one line from the terminal in raw mode, without echo. */
async function ask(question: string): Promise<string> {
  const { stdin } = process;
  process.stderr.write(question);
  stdin.setRawMode(true).setEncoding('utf8').resume();
  let typed = '';
  try {
    return await new Promise<string>((resolve, reject) => {
      stdin.on('data', (text: string) => {
        for (const letter of text) {
          if (letter === '\r' || letter === '\n') return resolve(typed);
          // Ctrl-C and Ctrl-D: raw mode delivers them as characters.
          if (letter === '\u0003' || letter === '\u0004')
            return reject(new BackupRefused(backupPhrases.interrupted()));
          if (letter === '\u007F' || letter === '\b') typed = Array.from(typed).slice(0, -1).join('');
          else if (letter >= ' ') typed += letter;
        }
      });
    });
  } finally {
    stdin.removeAllListeners('data').setRawMode(false).pause();
    process.stderr.write('\n');
  }
}
