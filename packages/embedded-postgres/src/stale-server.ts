import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databasePhrases } from '@propusk/phrases/launcher';
import { run } from './as-user.ts';
import type { Place } from './location.ts';
import { settingsFile } from './settings.ts';
import { StartError } from './start-error.ts';

const pollMs = 50;
/** How long a fast shutdown may take before the harder signal; the same as close() allows. */
const patienceMs = 8_000;

/**
 * Clears what a killed start left of its server: stops a postmaster that outlived its parent, waits for dying backends,
 * and takes away a postmaster.pid that would only mislead the next one. The caller holds the lock of the data folder, so
 * no live Propusk uses this cluster. A pid in a file proves nothing: a process counts only as a `postgres` whose working
 * directory is this very cluster.
 * @returns whether it is certain that no server works there
 * @throws StartError when a PostgreSQL that Propusk did not start works there, or one will not stop
 */
export async function stopLeftovers(place: Place): Promise<boolean> {
  const recorded = readText(join(place.cluster, 'postmaster.pid'));
  if (recorded === undefined) return true;
  const running = await serversOf(place);
  // Without /proc nothing can be proved; PostgreSQL's own check remains, and refuses when in doubt.
  if (running === undefined) return false;

  const heads: number[] = [];
  for (const pid of running) {
    const command = readText(`/proc/${pid}/cmdline`) ?? '';
    // A process that is exiting has lost its command line; backends have put a title over theirs. What is left is a
    // postmaster, or somebody's single-user session.
    if (command === '' || command.startsWith('postgres: ')) continue;
    if (parentOf(pid) === process.pid) throw new StartError(databasePhrases.openedHere(place.cluster));
    if (!command.includes(`config_file=${settingsFile(place)}\0`))
      throw new StartError(databasePhrases.foreignServer(place.cluster, pid));
    heads.push(pid);
  }
  signal(heads, 'SIGINT', place);
  // Backends of a postmaster killed by -9 leave on their own, mostly at once.
  if (!(await gone(place))) {
    const left = (await serversOf(place)) ?? [];
    signal(left, 'SIGQUIT', place);
    if (!(await gone(place))) throw stuck(left, place);
  }

  // PostgreSQL passes over the pid of a dead process. An empty file, or a pid that is now a stranger's or a zombie's, it
  // refuses; we have just seen that no server is here.
  const left = readText(join(place.cluster, 'postmaster.pid'));
  if (left !== undefined && !isDead(Number(left.split('\n')[0])))
    rmSync(join(place.cluster, 'postmaster.pid'));
  return true;
}

/**
 * The processes of any server working in the cluster: it stays in its data directory. Asked as the database's user, for
 * in a container even root may not look at another user's processes.
 * @returns undefined when the system has no /proc
 */
async function serversOf(place: Place): Promise<number[] | undefined> {
  const script =
    'test -e "/proc/$$/cwd" || exit 1; ' +
    'for p in /proc/[0-9]*; do if [ "$p/cwd" -ef "$1" ]; then echo "${p#/proc/}"; fi; done';
  const { code, stdout } = await run(place.user, 'sh', ['-c', script, 'sh', place.cluster]);
  if (code !== 0) return undefined;
  return stdout
    .split('\n')
    .filter((line) => line !== '' && readText(`/proc/${line}/comm`)?.trim() === 'postgres')
    .map(Number);
}

async function gone(place: Place): Promise<boolean> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(pollMs)) {
    if ((await serversOf(place))?.length === 0) return true;
  }
  return false;
}

function signal(pids: number[], name: NodeJS.Signals, place: Place): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw stuck(pids, place);
    }
  }
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1]);
}

function isDead(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function stuck(pids: number[], place: Place): StartError {
  return new StartError(databasePhrases.staleServerStuck(place.cluster, pids));
}
