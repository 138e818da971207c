import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  writeFile,
} from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { databasePhrases, fileActions } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';

/** The operating system's user that the database runs as. */
export interface DbUser {
  readonly uid: number;
  readonly gid: number;
  /** As in /etc/passwd: peer authentication and initdb want a name. */
  readonly name: string;
  /** Options of spawn(); empty when this process is that user. Node clears the supplementary groups when it switches. */
  readonly spawnAs: { uid?: number; gid?: number };
}

/** The folder of the database and the user that it runs as. */
export interface Place {
  /** DATA_DIR, real and absolute. */
  readonly base: string;
  /** The folder with the cluster and its settings: DATA_DIR, or one under /var/lib/propusk. */
  readonly home: string;
  /** PostgreSQL's data directory. */
  readonly cluster: string;
  readonly user: DbUser;
}

/** The uid of `nobody`: it owns no files and may enter no private folder. */
export const nobodyId = 65_534;

/** The folder of databases and programs that root places outside a private clone or DATA_DIR. */
export const sharedRoot = '/var/lib/propusk';

/** PostgreSQL refuses to run as root, which must start it as another user. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Chooses the location of a data folder's database. For an ordinary user it is the folder itself. For root the database runs as
 * `nobody` (or as the owner of the cluster), and its location is /var/lib/propusk when that user cannot enter the folder. The
 * folder's mode never becomes more permissive, because it holds the keys.
 * @param say receives the path of the database when it is not in DATA_DIR
 * @throws StartError when the cluster belongs to another user or cannot be reached
 */
export async function findPlace(dataDir: string, say: (line: string) => void): Promise<Place> {
  const base = await realpath(dataDir);
  const recorded = await findRelocated(base);
  const home = recorded ?? base;
  const cluster = join(home, 'postgres');
  const owner = await ownerOf(cluster);

  if (!isRoot()) {
    const user = ourselves();
    const other = recorded
      ? 'root'
      : owner && owner.uid !== user.uid && databasePhrases.ownerNumber(owner.uid);
    if (other) throw new StartError(databasePhrases.otherOwner(recorded ?? cluster, other, user.name));
    return { base, home, cluster, user };
  }

  // The settings are written once the cluster exists: alone they mean data loss, not a first start.
  const names = recorded && !owner ? await readdir(recorded).catch(() => ['postgres-config']) : [];
  if (names.includes('postgres-config')) {
    throw new StartError(databasePhrases.databaseLost(base, home, recordOf(base)));
  }
  if (owner?.uid === 0) throw new StartError(databasePhrases.ownedByRoot(cluster, nobodyId));
  const user = await otherUser(owner?.uid ?? nobodyId, owner?.gid ?? nobodyId);
  const folder = owner ? cluster : home;
  if (await canEnter(user, folder)) {
    if (recorded) say(databasePhrases.databaseIn(home));
    return { base, home, cluster, user };
  }
  if (owner || recorded) throw new StartError(databasePhrases.unreachableFolder(folder, user.name));
  const relocated = await relocate(base);
  say(databasePhrases.databaseMoves(user.name, base, relocated));
  return { base, home: relocated, cluster: join(relocated, 'postgres'), user };
}

// The folder is named at random and recorded in DATA_DIR, rather than derived from DATA_DIR's path: a folder that is
// moved keeps its database, and a new folder in an old one's place does not inherit the old database without its keys.
const recordOf = (base: string) => join(base, 'postgres.location');

/**
 * The recorded folder of a database outside of its data folder; undefined when it lives there.
 * @throws StartError when the record is damaged, or when the data folder was copied and the original still uses this database
 */
export async function findRelocated(base: string): Promise<string | undefined> {
  const record = await readRecord(base);
  if (record === undefined || record.dataDir === base) return record?.home;
  const { home, dataDir } = record;
  // Release 0.1 recorded no data folder.
  if (dataDir !== undefined && (await readRecord(dataDir).catch(() => undefined))?.home === home) {
    throw new StartError(databasePhrases.copiedDataDir(base, dataDir, home, recordOf(base)));
  }
  await writeRecord(base, home);
  return home;
}

/** Makes and records a folder for a new database outside of `base`. */
async function relocate(base: string): Promise<string> {
  const name = basename(base).replaceAll(/[^\w.-]/g, '_') || 'data';
  const home = join(await makeShared('data', 0o711), `${name}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(home, { mode: 0o700 });
    await chown(home, 0, nobodyId);
    await chmod(home, 0o710);
    await writeRecord(base, home);
    return home;
  } catch (error) {
    throw startErrorFrom(error, fileActions.createDatabaseFolder(home));
  }
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

async function readRecord(base: string): Promise<{ home: string; dataDir?: string } | undefined> {
  const file = recordOf(base);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw startErrorFrom(error, fileActions.read(file));
  });
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as { home: string; dataDir?: string };
    if (dirname(record.home) === join(sharedRoot, 'data')) return record;
  } catch {}
  throw new StartError(databasePhrases.badRecord(file, sharedRoot));
}

async function writeRecord(dataDir: string, home: string): Promise<void> {
  const file = recordOf(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify({ home, dataDir })}\n`, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}

/** The owner of a folder; undefined when the folder is absent or empty, so that we may create it. */
async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const found = await stat(folder);
    if (!found.isDirectory()) throw new StartError(databasePhrases.fileInPlace(folder));
    // Another user's folder may be unreadable. That is no error here, since only its owner matters.
    const names = await readdir(folder).catch(() => undefined);
    return names?.length === 0 ? undefined : found;
  } catch (error) {
    // A relocated database lies in a folder that only root and its own user may enter.
    if (['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw startErrorFrom(error, fileActions.read(folder));
  }
}

/**
 * The user of this process.
 * @throws StartError when the uid has no passwd entry (initdb and peer authentication need one)
 */
export function ourselves(): DbUser {
  const uid = process.getuid?.() ?? -1;
  try {
    return { uid, gid: process.getgid?.() ?? -1, name: userInfo().username, spawnAs: {} };
  } catch (cause) {
    throw new StartError(databasePhrases.namelessUser(uid), { cause });
  }
}

/**
 * Another user to run the database as; only root can.
 * @throws StartError when the uid has no passwd entry, or this root may not change users (a rootless container)
 */
async function otherUser(uid: number, gid: number): Promise<DbUser> {
  const user = { uid, gid, name: '', spawnAs: { uid, gid } };
  const { code, stdout } = await run(user, 'id', ['-un']);
  if (code === null) throw new StartError(databasePhrases.cannotChangeUser(uid));
  if (code !== 0) throw new StartError(databasePhrases.namelessUser(uid));
  return { ...user, name: stdout.trim() };
}

/** Whether `user` can enter the folder. A command run as the user decides, so that ACLs and mounts count too. */
async function canEnter(user: DbUser, folder: string): Promise<boolean> {
  return (await run(user, 'sh', ['-c', 'test -d "$1" && test -x "$1"', 'sh', folder])).code === 0;
}

/**
 * The environment of the database's programs. It leaves out variables that change their behaviour (PGPORT, PGOPTIONS,
 * LD_LIBRARY_PATH), and sets English messages, which explain-failure.ts matches.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** How a command ended. `code` is null when it could not be run or a signal ended it. */
interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command as `user` to its end. Never throws: for a command that cannot be run, the code is null and stderr holds the reason. */
export async function run(user: DbUser, file: string, args: readonly string[]): Promise<Outcome> {
  try {
    // The user may not be allowed into our working directory, so it is /.
    const options = { ...user.spawnAs, cwd: '/', env: cleanEnvironment() };
    return { code: 0, ...(await promisify(execFile)(file, args, options)) };
  } catch (error) {
    const { code, stdout = '', stderr, message } = error as Partial<Outcome> & Error;
    return { code: typeof code === 'number' ? code : null, stdout, stderr: stderr || message };
  }
}

/**
 * The prefix of a command that makes the kernel send it `signal` when this process dies, also by kill -9. The kernel counts
 * the spawning thread as the parent, so spawn from the main thread.
 * @returns empty without util-linux's setpriv: the next start then stops the stale server
 */
export async function tiedToParent(user: DbUser, signal: 'INT' | 'KILL'): Promise<string[]> {
  const tie = ['setpriv', '--pdeathsig', signal];
  const { code } = await run(user, 'setpriv', [...tie.slice(1), 'true']);
  return code === 0 ? tie : [];
}
