import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { nodeEnvironment } from '../node-environment.ts';
import { stop } from './client.ts';

/** A program of the product in its own process. */
export interface Process {
  readonly pid: number;
  /** The first message of the process, sent once it accepts connections. */
  readonly message: unknown;
  /** The exit code or signal with the end of its output; null while it runs. */
  ended(): string | null;
  kill(): Promise<void>;
  /** Stops it by SIGTERM. @returns its exit code; null when it had ended */
  terminate(): Promise<number | null>;
}

/**
 * Starts a program and waits until it listens.
 * @param env its environment, besides PATH @param heapMb limit of V8's old space, in MB @param flags of Node @param args of the program
 * @throws Error with the end of its output when it does not start
 */
export async function startProcess(
  main: string,
  env: Readonly<Record<string, string>>,
  heapMb?: number,
  flags: readonly string[] = [],
  args: readonly string[] = [],
): Promise<Process> {
  const execArgv = [...flags, ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`])];
  const settings = { ...nodeEnvironment(), LOG_LEVEL: 'warn', ...env };
  const child: ChildProcess = fork(main, args, { env: settings, execArgv, silent: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => (output = (output + data).slice(-2_000)));
  let ended: string | null = null;
  const exit = once(child, 'exit').then(([code, signal]) => (ended = `${signal ?? code}: ${output}`));
  const failed = exit.then(() => Promise.reject(new Error(`${main} ended: ${ended}`)));
  failed.catch(() => {});
  const [message] = (await Promise.race([once(child, 'message'), failed])) as [unknown];
  return {
    pid: child.pid ?? 0,
    message,
    ended: () => ended,
    kill: () => stop(child),
    async terminate() {
      if (ended !== null) return null;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      return (await exited)[0];
    },
  };
}
