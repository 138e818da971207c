import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import pg from 'pg';

export const asRoot = process.getuid?.() === 0;

/** A suffix for titles of tests that only root can run. */
export const rootOnly = asRoot ? '' : ' (skipped: needs root)';

/** The user daemon (uid 1): an ordinary user on every system, neither root nor nobody. */
export const ordinary = { uid: 1, gid: 1 };

export const holderScript = join(import.meta.dirname, 'holder.ts');

/** Whether an ordinary user can run node and this file: a clone or a node in a private folder prevents it. */
export const canPlayOrdinary =
  asRoot &&
  spawnSync(process.execPath, ['-e', `require('node:fs').readFileSync(${JSON.stringify(holderScript)})`], {
    ...ordinary,
    cwd: '/',
  }).status === 0;

/** Creates a folder in /tmp that every user may traverse but not list. */
export function makeScratch(): string {
  const folder = mkdtempSync('/tmp/ptest-');
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes a scratch folder, and the clusters under /var/lib/propusk that root created for it. */
export function removeScratch(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('postgres.location')) continue;
    const { home } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { home: string };
    if (home.startsWith('/var/lib/propusk/data/')) rmSync(home, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Creates a cluster once per test file, with a table `kept` of one row.
 * @returns a function that copies the data folder, which is faster than initdb
 */
export async function makeTemplate(scratch: string): Promise<(dataDir: string) => Promise<void>> {
  const template = join(scratch, 'template');
  const db = await openEmbedded({ dataDir: template });
  await ask(db.url, 'create table kept as select 1 as one');
  await db.close();
  return async (dataDir) => {
    const [code] = await once(spawn('cp', ['-a', template, dataDir], { stdio: 'inherit' }), 'exit');
    if (code !== 0) throw new Error(`cp ended with ${code}`);
  };
}

/** Runs one statement on its own connection. */
export async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export interface Holder {
  readonly child: ChildProcess;
  /** The first line that the process prints, after its start or its failure; '' when it was killed before. */
  readonly line: Promise<string>;
  /** Sends a signal and waits until the process is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts holder.ts, optionally as another user, in its own process group like a terminal's job. */
export function startHolder(
  args: string[],
  options: { as?: { uid: number; gid: number }; env?: NodeJS.ProcessEnv; script?: string } = {},
): Holder {
  const child = spawn(process.execPath, [options.script ?? holderScript, ...args], {
    ...options.as,
    cwd: '/',
    detached: true,
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const line = once(createInterface(child.stdout), 'line').then(
    ([text]) => String(text),
    () => '',
  );
  return {
    child,
    line: Promise.race([line, ended.then(() => sleep(200, ''))]),
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

/** Waits for the JSON that a holder prints after its start. @throws Error when it did not start */
export async function opened(holder: Holder): Promise<{ url: string; rows: unknown[][]; said: string[] }> {
  const line = await holder.line;
  if (!line.startsWith('OPEN ')) throw new Error(`the holder printed: ${line}`);
  return JSON.parse(line.slice('OPEN '.length));
}

/** The processes with a folder in their command line or as their working directory. */
export function processesUnder(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(
      (name) =>
        attempt(() => readFileSync(`/proc/${name}/cmdline`, 'utf8')).includes(folder) ||
        attempt(() => readlinkSync(`/proc/${name}/cwd`)).startsWith(folder),
    )
    .map(Number);
}

/** Waits until no process works under a folder. @returns the remaining processes */
export async function processesLeft(folder: string, withinMs = 5_000): Promise<number[]> {
  const until = Date.now() + withinMs;
  while (processesUnder(folder).length > 0 && Date.now() < until) await sleep(50);
  return processesUnder(folder);
}

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  return /^\d+ \(.*\) [^Z]/s.test(attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** The postmaster's pid, from postmaster.pid. */
export function postmasterOf(cluster: string): number {
  return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
