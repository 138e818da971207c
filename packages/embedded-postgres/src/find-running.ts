import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { urlOf } from './readiness.ts';
import { findMoved } from './relocated-home.ts';
import { socketOf } from './socket-dir.ts';
import { StartError, startErrorFrom } from './start-error.ts';

/**
 * Finds the embedded database of a data folder and starts nothing.
 * @returns its url when it answers, null when no server runs on it
 * @throws StartError when the folder holds none, or we may not ask it
 */
export async function findRunning(dataDir: string): Promise<string | null> {
  let home: string;
  try {
    const base = await realpath(dataDir);
    home = (await findMoved(base))?.home ?? base;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? absent(dataDir)
      : startErrorFrom(error, `Не удалось прочитать папку данных ${dataDir}`);
  }
  if (!existsSync(join(home, 'postgres'))) throw absent(dataDir);
  const socketDir = await socketOf(join(home, 'postgres'), () =>
    readFile(join(home, 'postgres.socket'), 'utf8').catch(() => ''),
  );
  if (socketDir === '') return null;
  const url = urlOf(socketDir);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return url;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // A server that was killed leaves its socket behind.
    if (['ENOENT', 'ECONNREFUSED'].includes(code)) return null;
    if (code === '57P03') throw new StartError('База данных ещё запускается: повторите через минуту.');
    if (code === 'EACCES' || code.startsWith('28')) {
      throw new StartError(
        'База данных не пускает: повторите от того же пользователя, от которого работает Пропуск.',
      );
    }
    throw startErrorFrom(error, 'База данных не отвечает');
  } finally {
    await client.end().catch(() => {});
  }
}

function absent(dataDir: string): StartError {
  return new StartError(
    `В папке ${dataDir} нет базы данных: укажите те же DATA_DIR и DATABASE_URL, с которыми работает Пропуск.`,
  );
}
