import { type ChildProcess, fork, type SendHandle } from 'node:child_process';

/** A process that this one has forked, with a channel for messages of the type `Message`. */
export class Child<Message extends object = never> {
  readonly process: ChildProcess;
  /** Resolves with the exit code; with null after a signal, and when it could not be started. */
  readonly ended: Promise<number | null>;

  constructor(process: ChildProcess) {
    this.process = process;
    this.ended = new Promise((resolve) =>
      // A signal that could not be sent is an 'error' too, but no end.
      process.once('exit', resolve).on('error', () => process.pid === undefined && resolve(null)),
    );
  }

  /** Ignores a closed channel: `ended` reports the end. */
  send(message: Message, socket?: SendHandle): void {
    this.process.send(message, socket, () => {});
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  /** Kills the process unless the promise settles in time. */
  within<T>(ms: number, promise: Promise<T>): Promise<T> {
    const late = setTimeout(() => this.kill(), ms);
    return promise.finally(() => clearTimeout(late));
  }

  /** Sends SIGTERM, and SIGKILL after the time. Resolves when the process is gone. */
  end(ms: number): Promise<number | null> {
    this.process.kill('SIGTERM');
    return this.within(ms, this.ended);
  }
}

/**
 * Forks a module with the flags of this process.
 * @param flags of Node, besides these @param stderr `pipe` for a caller that reads it
 */
export function forkChild<Message extends object>(
  module: string,
  env: NodeJS.ProcessEnv,
  flags: readonly string[],
  stderr: 'inherit' | 'pipe' = 'inherit',
): Child<Message> {
  const execArgv = [...process.execArgv, ...flags];
  return new Child(fork(module, { env, execArgv, stdio: ['ignore', 'inherit', stderr, 'ipc'] }));
}
