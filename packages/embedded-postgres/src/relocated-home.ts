import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { databasePhrases, fileActions } from '@propusk/phrases/launcher';
import { canEnter, type DbUser, nobodyId } from './as-user.ts';
import { StartError, startErrorFrom } from './start-error.ts';

/** The folder of databases and programs that root places outside a private clone or DATA_DIR. */
export const sharedRoot = '/var/lib/propusk';

interface Moved {
  home: string;
  /** Whether the cluster was created there. If so, its absence means data loss, not a first start. */
  created: boolean;
}

// The folder is named at random and recorded in DATA_DIR, rather than derived from DATA_DIR's path: a folder that is
// moved keeps its database, and a new folder in an old one's place does not inherit the old database without its keys.
const recordOf = (base: string) => join(base, 'postgres.location');
const ownerFileOf = (home: string) => join(home, 'data-dir');

/**
 * The place recorded in a data folder whose database lives elsewhere; undefined when it lives there.
 * @throws StartError when the record is damaged, or the folder is a copy of another one that still has this database
 */
export async function findMoved(base: string): Promise<Moved | undefined> {
  const moved = await readRecord(base);
  if (!moved) return undefined;
  const origin = await readFile(ownerFileOf(moved.home), 'utf8').catch(() => base);
  if (origin !== base) {
    const theirs = await readRecord(origin).catch(() => undefined);
    if (theirs?.home === moved.home) {
      throw new StartError(databasePhrases.copiedDataDir(base, origin, moved.home, recordOf(base)));
    }
    await writeFile(ownerFileOf(moved.home), base);
  }
  return moved;
}

/**
 * Makes the folder for a new database outside of `base`, and records it there.
 * @throws StartError when /var/lib/propusk cannot be made, is not root's alone, or `user` cannot enter it
 */
export async function makeHome(base: string, user: DbUser): Promise<string> {
  await makeShared('data', 0o711);
  const name = basename(base).replaceAll(/[^\w.-]/g, '_') || 'data';
  const home = join(sharedRoot, 'data', `${name}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(home, { mode: 0o700 });
    await chown(home, 0, nobodyId);
    await chmod(home, 0o710);
    await writeFile(ownerFileOf(home), base, { mode: 0o600 });
    await writeRecord(base, { home, created: false });
  } catch (error) {
    throw startErrorFrom(error, fileActions.createDatabaseFolder(home));
  }
  if (!(await canEnter(user, home))) {
    throw new StartError(databasePhrases.sharedRootClosed(user.name, home, dirname(sharedRoot), sharedRoot));
  }
  return home;
}

/** Notes that the cluster of a data folder now exists in `home`. */
export async function markCreated(base: string, home: string): Promise<void> {
  await writeRecord(base, { home, created: true });
}

/**
 * Makes a folder under /var/lib/propusk, which must be root's alone: programs are run from there.
 * @throws StartError when it cannot be made, or another user could write to it
 */
export async function makeShared(name: string, mode: number): Promise<string> {
  const folder = join(sharedRoot, name);
  for (const [path, wanted] of [
    [sharedRoot, 0o711],
    [folder, mode],
  ] as const) {
    try {
      const made = await mkdir(path, { recursive: true });
      if (made !== undefined) await chmod(path, wanted);
    } catch (error) {
      throw startErrorFrom(error, fileActions.createFolder(path));
    }
    const found = await lstat(path);
    if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
      throw new StartError(databasePhrases.notRootsAlone(path));
    }
  }
  return folder;
}

async function readRecord(base: string): Promise<Moved | undefined> {
  const file = recordOf(base);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw startErrorFrom(error, fileActions.read(file));
  }
  const { home, created } = parse(text);
  if (typeof home !== 'string' || dirname(home) !== join(sharedRoot, 'data')) {
    throw new StartError(databasePhrases.badRecord(file, sharedRoot));
  }
  return { home, created: created === true };
}

function parse(text: string): { home?: unknown; created?: unknown } {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

async function writeRecord(base: string, moved: Moved): Promise<void> {
  const file = recordOf(base);
  const draft = await open(`${file}.new`, 'w', 0o600);
  try {
    await draft.writeFile(`${JSON.stringify(moved)}\n`);
    await draft.sync();
  } finally {
    await draft.close();
  }
  await rename(`${file}.new`, file);
}
