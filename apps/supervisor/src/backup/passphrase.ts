import { BackupRefused } from './backup-refused.ts';

/** A stolen file can be tried against at home: 64 MiB a try make up for no short phrase. */
const SHORTEST = 12;

/**
 * The passphrase of a backup: BACKUP_PASSPHRASE, or typed at the terminal, which does not show it.
 * @param making for a new backup: it is asked for twice, and must not be short
 * @throws BackupRefused
 */
export async function readPassphrase(env: NodeJS.ProcessEnv, making: boolean): Promise<string> {
  const given = env.BACKUP_PASSPHRASE;
  if (given) return checked(given, making);
  if (!process.stdin.isTTY) {
    throw new BackupRefused(
      'Нет фразы для копии: укажите её в BACKUP_PASSPHRASE или запустите команду в терминале',
    );
  }
  if (!making) return ask('Фраза копии: ');
  const first = checked(await ask(`Придумайте фразу для копии, не меньше ${SHORTEST} знаков: `), true);
  if ((await ask('Ещё раз: ')) !== first) throw new BackupRefused('Фразы не совпали: повторите команду');
  return first;
}

function checked(phrase: string, making: boolean): string {
  if (!making || Array.from(phrase).length >= SHORTEST) return phrase;
  throw new BackupRefused(
    `Фраза короче ${SHORTEST} знаков: без неё копию не открыть, но и подобрать её не должны`,
  );
}

/** One line from the terminal in raw mode, where nothing that is typed appears. */
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
          // Ctrl-C and Ctrl-D: in raw mode they are letters.
          if (letter === '\u0003' || letter === '\u0004') return reject(new BackupRefused('Прервано'));
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
