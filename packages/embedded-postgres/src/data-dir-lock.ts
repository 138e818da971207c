import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { databasePhrases, fileActions } from '@propusk/phrases/launcher';
import { StartError, startErrorFrom } from '@propusk/processes/start-error';
import { isRoot, nobodyId } from './location.ts';

/** The locks of this process. References keep the garbage collector from closing them; openEmbedded looks them up. */
// Grows with the launcher. Bound: one folder. At the bound: does not grow
const held = new Map<string, DatabaseSync>();

const sqliteBusy = 5;

/**
 * Takes the data folder for this process, making the folder when it is absent.
 *
 * The lock is the kernel's (through SQLite's exclusive lock on an empty file). Exactly one process can hold it, and the kernel
 * releases it however the holder ends, so no lock becomes stale and a recycled pid does not matter. The pid beside it serves
 * only the error message. The lock file itself stays: after its removal two processes could lock two files of one name.
 *
 * A folder made by root has mode 0710 and the group nogroup: the database's user can traverse it, but neither list it nor open
 * its files of mode 0600. An existing folder keeps its mode.
 *
 * @throws StartError when another live process, or this one, holds the folder, or the folder cannot be written
 */
export async function lockDataDir(dataDir: string): Promise<{ release(): Promise<void> }> {
  const folder = makeFolder(dataDir);
  const lockFile = join(folder, 'propusk.lock');
  const pidFile = join(folder, 'propusk.pid');
  if (held.has(folder)) throw new StartError(databasePhrases.alreadyRunning(folder, process.pid));

  const lock = openLock(lockFile, folder);
  try {
    // No journal: there is nothing to roll back, and a full disk has no room for one.
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== sqliteBusy) {
      throw startErrorFrom(error, fileActions.lockDataDir(folder));
    }
    throw new StartError(databasePhrases.alreadyRunning(folder, await holderOf(pidFile)));
  }
  held.set(folder, lock);
  const release = async () => {
    if (held.get(folder) !== lock) return;
    held.delete(folder);
    rmSync(pidFile, { force: true });
    lock.close();
  };
  try {
    // Unlink first: root must not follow a symlink that another user placed here.
    rmSync(pidFile, { force: true });
    writeFileSync(pidFile, `${process.pid} ${startTime(process.pid)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    await release();
    throw startErrorFrom(error, fileActions.writeDataDir(folder));
  }
  return { release };
}

/** Whether this process holds the folder's lock. */
export function holdsLock(dataDir: string): boolean {
  try {
    return held.has(realpathSync(dataDir));
  } catch {
    return false;
  }
}

function makeFolder(dataDir: string): string {
  const folder = resolve(dataDir);
  try {
    // Parents get the default mode: the database's user must be able to traverse them.
    mkdirSync(dirname(folder), { recursive: true });
    if (!existsSync(folder)) {
      // Root's folder is traversable at once: another start may take the folder before openToNobody has finished.
      mkdirSync(folder, { mode: isRoot() ? 0o711 : 0o700 });
      if (isRoot()) openToNobody(folder);
    }
    return realpathSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(folder)) return realpathSync(folder);
    throw startErrorFrom(error, fileActions.createDataDir(folder));
  }
}

function openToNobody(folder: string): void {
  try {
    chownSync(folder, 0, nobodyId);
    chmodSync(folder, 0o710);
  } catch {
    // The root of a rootless container may not change the group; there only an external database works.
    chmodSync(folder, 0o700);
  }
}

function openLock(file: string, folder: string): DatabaseSync {
  try {
    // 0600: any user who can open the file could hold the lock. Do not open and close an existing file here: closing any
    // descriptor of a file releases all POSIX locks of the process on it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw startErrorFrom(error, fileActions.writeLock(folder));
    }
  }
  try {
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw startErrorFrom(error, fileActions.open(file));
  }
}

/** The pid of the holder. It is written just after the lock is taken, so it may be missing for a moment. */
async function holderOf(pidFile: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const [pid, started] = readText(pidFile).trim().split(' ');
    if (pid && started !== undefined && startTime(Number(pid)) === started) return Number(pid);
    await sleep(25);
  }
  return undefined;
}

/** Clock ticks since boot, field 22 of /proc/<pid>/stat; the name in field 2 may hold spaces. '-' where unknown. */
function startTime(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '-';
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
