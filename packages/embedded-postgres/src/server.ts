import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanEnvironment, type Place, tiedToParent } from './location.ts';
import type { ServerLog } from './server-log.ts';
import { settingsFile } from './settings.ts';

/** How a process ended. */
export interface Exit {
  code: number | null;
  signal: string | null;
}

/** A postmaster that this process started. */
export interface Server {
  /** Resolves when the postmaster ends, for any reason. */
  readonly exited: Promise<Exit>;
  /** Ends the postmaster by a fast shutdown, after 8 s by an immediate one; resolves when the process is gone. */
  stop(): Promise<void>;
}

/** Signals with their timeouts in ms: fast shutdown, immediate shutdown (children get 5 s), kill. */
const stops: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 8_000],
  ['SIGQUIT', 7_000],
  ['SIGKILL', 60_000],
];

/** Starts postgres, which is not ready yet and may still fail: see waitUntilReady. */
export async function startServer(place: Place, native: string, log: ServerLog): Promise<Server> {
  const [program = '', ...args] = [
    ...(await tiedToParent(place.user, 'INT')),
    join(native, 'bin', 'postgres'),
    ...['-D', place.cluster, '-c', `config_file=${settingsFile(place)}`],
    // On the command line ALTER SYSTEM cannot override it and open a port.
    ...['-c', 'listen_addresses='],
  ];
  const child = spawn(program, args, {
    ...place.user.spawnAs,
    cwd: '/',
    env: cleanEnvironment(),
    // In a separate session: Ctrl-C in the terminal must not stop PostgreSQL before the api has drained.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => {
      log.write(`FATAL: ${error.message}\n`);
      resolve({ code: null, signal: null });
    });
  });
  return { exited, stop: () => stop(child, exited) };
}

async function stop(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  for (const [signal, patienceMs] of stops) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill(signal);
    await Promise.race([exited, sleep(patienceMs, undefined, { ref: false })]);
  }
}
