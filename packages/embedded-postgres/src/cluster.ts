import { randomBytes } from 'node:crypto';
import { chown, lstat, mkdir, open, readdir, readFile, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databasePhrases, fileActions } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';
import { explainFailure } from './explain-failure.ts';
import { type DbUser, type Place, run, tiedToParent } from './location.ts';
import type { ServerLog } from './server-log.ts';

const major = '18';
const controlFileSize = 8192;

/**
 * Makes the cluster when there is none. A non-empty folder is never overwritten: it is a cluster of
 * this version or it is refused.
 *
 * initdb works in a temporary folder, which is then renamed: a killed initdb leaves PG_VERSION in an incomplete cluster.
 *
 * @param native the folder with the programs
 * @returns whether a cluster was made
 * @throws StartError when the folder holds anything but a complete cluster of this version, or initdb fails
 */
export async function ensureCluster(
  place: Place,
  native: string,
  log: ServerLog,
  say: (line: string) => void,
): Promise<boolean> {
  await sweep(place);
  if (await hasCluster(place.cluster)) return false;
  say(databasePhrases.creatingDatabase(place.cluster));
  const draft = join(place.home, `postgres.init-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(draft, { mode: 0o700 });
    if (place.user.spawnAs.uid !== undefined) await chown(draft, place.user.uid, place.user.gid);
    await initialise(place, draft, native, log);
    await rename(draft, place.cluster);
    await syncFolder(place.home);
  } catch (error) {
    await removeTree(place.user, draft);
    throw startErrorFrom(error, fileActions.createDatabase(place.cluster));
  }
  return true;
}

async function initialise(place: Place, draft: string, native: string, log: ServerLog): Promise<void> {
  const tie = await tiedToParent(place.user, 'KILL');
  const [program = '', ...args] = [
    ...tie,
    join(native, 'bin', 'initdb'),
    ...['-D', draft, '-U', 'postgres', '--encoding=UTF8', '--auth=peer', '--no-instructions'],
    // ICU sorts Cyrillic in dictionary order and folds its case. The libc locale must still be UTF-8: pg_trgm asks it for
    // letters, and the C locale has no Cyrillic ones. Every supported glibc includes C.UTF-8.
    ...['--locale-provider=icu', '--icu-locale=ru', '--locale=C.UTF-8', '--lc-messages=C'],
  ];
  const { code, stdout, stderr } = await run(place.user, program, args);
  if (code === 0) return;
  log.write(`${stdout}${stderr}`);
  throw explainFailure(`${stdout}${stderr}`, place, true);
}

/** @throws StartError for a folder that holds anything but a complete cluster of this version */
async function hasCluster(cluster: string): Promise<boolean> {
  let names: string[];
  try {
    names = await readdir(cluster);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw startErrorFrom(error, fileActions.readDatabaseFolder(cluster));
  }
  if (names.length === 0) return false;
  if (!names.includes('PG_VERSION')) {
    throw new StartError(databasePhrases.notACluster(cluster));
  }
  const version = await regularFile(join(cluster, 'PG_VERSION'));
  if (version && version.size < 10) {
    const found = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
    if (/^\d+(\.\d+)?$/.test(found) && found !== major) {
      throw new StartError(databasePhrases.otherMajor(cluster, found, major));
    }
    const control = await regularFile(join(cluster, 'global', 'pg_control'));
    if (found === major && control?.size === controlFileSize) return true;
  }
  throw new StartError(databasePhrases.notWhole(cluster));
}

async function regularFile(path: string): Promise<{ size: number } | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found : undefined;
}

/** Removes the unfinished clusters of killed starts. This process holds the lock, so none of them is in use. */
async function sweep(place: Place): Promise<void> {
  for (const name of await readdir(place.home)) {
    if (/^postgres\.init-[0-9a-f]{12}$/.test(name)) await removeTree(place.user, join(place.home, name));
  }
}

/**
 * Runs as the owner of the contents: a symlink could lead root to remove other files. Retries, because a child of a killed
 * initdb writes for a moment longer; the next start removes the rest.
 */
async function removeTree(user: DbUser, folder: string): Promise<void> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    await run(user, 'rm', ['-rf', '--', folder]);
    const left = await rmdir(folder).catch((error: NodeJS.ErrnoException) => error);
    if (left === undefined || left.code === 'ENOENT') return;
    await sleep(50);
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
