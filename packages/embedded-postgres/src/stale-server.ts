import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databasePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import { type Place, run } from './location.ts';
import { settingsFile } from './settings.ts';

const pollMs = 50;
/** How long a fast shutdown may take before the harder signal; the same as close() allows. */
const patienceMs = 8_000;

/**
 * Cleans up after a killed start: stops a postmaster that outlived its parent, waits for dying backends, and removes a stale
 * postmaster.pid. The caller holds the lock of the data folder, so no live Propusk uses this cluster. A pid in a file proves
 * nothing: only a `postgres` process whose working directory is this cluster counts.
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
    // An exiting process has no command line, and backends replace theirs with a title. Other processes are a postmaster
    // or a single-user session.
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

  // PostgreSQL ignores the pid of a dead process. It refuses an empty file, and a pid that another process or a zombie has
  // now. We have just verified that no server runs here.
  const left = readText(join(place.cluster, 'postmaster.pid'));
  if (left !== undefined && !isDead(Number(left.split('\n')[0])))
    rmSync(join(place.cluster, 'postmaster.pid'));
  return true;
}

/**
 * The processes of any server on the cluster, found by their working directory. Runs as the database's user: in a container even
 * root may not inspect another user's processes.
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
