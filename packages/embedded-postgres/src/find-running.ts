import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { databasePhrases, fileActions } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';
import { findRelocated } from './location.ts';
import { query, urlOf } from './readiness.ts';
import { socketOf } from './socket-dir.ts';

/**
 * Finds the embedded database of a data folder and starts nothing.
 * @returns its url; null when no server runs on the folder
 * @throws StartError when the folder holds no database, or this user may not connect to it
 */
export async function findRunning(dataDir: string): Promise<string | null> {
  let home: string;
  try {
    const base = await realpath(dataDir);
    home = (await findRelocated(base)) ?? base;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? new StartError(databasePhrases.noDatabase(dataDir))
      : startErrorFrom(error, fileActions.readDataDir(dataDir));
  }
  if (!existsSync(join(home, 'postgres'))) throw new StartError(databasePhrases.noDatabase(dataDir));
  const socketDir = await socketOf(join(home, 'postgres'), () =>
    readFile(join(home, 'postgres.socket'), 'utf8').catch(() => ''),
  );
  if (socketDir === '') return null;
  const url = urlOf(socketDir);
  try {
    await query(url, 'select');
    return url;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // A server that was killed leaves its socket behind.
    if (['ENOENT', 'ECONNREFUSED'].includes(code)) return null;
    if (code === '57P03') throw new StartError(databasePhrases.stillStarting());
    if (code === 'EACCES' || code.startsWith('28')) {
      throw new StartError(databasePhrases.accessDenied());
    }
    throw startErrorFrom(error, fileActions.askDatabase());
  }
}
