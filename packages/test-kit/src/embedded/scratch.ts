import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded } from '@propusk/embedded-postgres/open';
import pg from 'pg';

export const asRoot = process.getuid?.() === 0;

/** For names of tests that only root can run. */
export const rootOnly = asRoot ? '' : ' (skipped: needs root)';

/** daemon is uid 1 wherever there is a passwd file: an ordinary user who is neither root nor nobody. */
export const ordinary = { uid: 1, gid: 1 };

export const holderScript = join(import.meta.dirname, 'holder.ts');

/** Whether root may play an ordinary user here: a private clone, or node under a private folder, forbids it. */
export const canPlayOrdinary =
  asRoot &&
  spawnSync(process.execPath, ['-e', `require('node:fs').readFileSync(${JSON.stringify(holderScript)})`], {
    ...ordinary,
    cwd: '/',
  }).status === 0;

/** A folder in /tmp that every user may pass through, but not list. */
export function makeScratch(): string {
  const folder = mkdtempSync('/tmp/ptest-');
  chmodSync(folder, 0o711);
  return folder;
}

/** Removes a scratch folder, and what root's starts on it left under /var/lib/propusk. */
export function removeScratch(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('postgres.location')) continue;
    const { home } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { home: string };
    if (home.startsWith('/var/lib/propusk/data/')) rmSync(home, { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Makes a cluster once for a test file, with the table `kept` of one row; the function it gives copies that data folder,
 * which is quicker than initdb.
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

/** One statement on a connection of its own. */
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
  /** The line that it prints when it is up, or why not; '' when it was killed before. */
  readonly line: Promise<string>;
  /** Sends a signal and waits until the process is gone. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts holder.ts, as another user when given one, in a process group of its own as a terminal's job has. */
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

/** What a holder that must be up printed as JSON. */
export async function opened(holder: Holder): Promise<{ url: string; rows: unknown[][]; said: string[] }> {
  const line = await holder.line;
  if (!line.startsWith('OPEN ')) throw new Error(`the holder said: ${line}`);
  return JSON.parse(line.slice('OPEN '.length));
}

/** The processes with a folder in their command line, or working in it. */
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

/** Waits until no process works under a folder; the list of those that stay. */
export async function processesLeft(folder: string, withinMs = 5_000): Promise<number[]> {
  const until = Date.now() + withinMs;
  while (processesUnder(folder).length > 0 && Date.now() < until) await sleep(50);
  return processesUnder(folder);
}

/** Whether a process runs; a zombie, which waits for a parent's notice, does not. */
export function isRunning(pid: number): boolean {
  return /^\d+ \(.*\) [^Z]/s.test(attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8')));
}

/** The postmaster's pid, from its own file. */
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
