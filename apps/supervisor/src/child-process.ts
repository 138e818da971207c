import { supervisorPhrases } from '@propusk/phrases/launcher';
import { Backoff } from '@propusk/processes/backoff';
import { type Child, forkChild } from '@propusk/processes/child';

const DRAIN_MS = 7_000;
/** npm and a terminal may both deliver one Ctrl-C: a second signal within this time is the same one. */
const SAME_SIGNAL_MS = 1_000;

/** A child process that is restarted when it ends. */
export interface SupervisedProcess {
  /** Resolves when it listens, or waits, for the first time. Rejects with ChildFailed when it ends before that. */
  readonly listening: Promise<void>;
  /** Ends it and starts it again, as after a change of its code. */
  restart(): void;
  /** Sends SIGTERM, and SIGKILL after 7 s. Resolves when the process is gone. */
  stop(): Promise<void>;
}

/** A child ended before it listened. The message is what it printed on standard error. */
export class ChildFailed extends Error {}

/**
 * Starts a program and restarts it whenever it ends after it has listened, with exponential backoff.
 * @param module path of a .ts file that sends `{type: 'listening'}` when it serves, or `{type: 'waiting'}` when it serves
 *   later by itself, and drains on SIGTERM
 * @param flags of Node
 */
export function supervise(
  module: string,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  flags: readonly string[] = [],
): SupervisedProcess {
  const first = Promise.withResolvers<void>();
  // A start that is stopped earlier no longer awaits it.
  first.promise.catch(() => {});
  let child: Child;
  let stopped = false;
  let restarting = false;
  let everListened = false;
  const pauses = new Backoff(500, 10_000);
  let retry: NodeJS.Timeout | undefined;

  function start(): void {
    retry = undefined;
    let errorOutput = '';
    child = forkChild(module, env, flags, 'pipe');
    child.process.stderr?.on('data', (bytes: Buffer) => {
      errorOutput = (errorOutput + bytes.toString()).slice(-4000);
      // Until the first listening, the output becomes the message of ChildFailed.
      if (everListened) process.stderr.write(bytes);
    });
    child.process.on('message', (message: { type?: string }) => {
      if (message.type !== 'listening' && message.type !== 'waiting') return;
      everListened = true;
      pauses.reset();
      first.resolve();
    });
    child.process.on('close', (code, signal) => {
      if (stopped) return;
      const reason = signal ?? code;
      if (!everListened) {
        first.reject(new ChildFailed(errorOutput.trim() || supervisorPhrases.processEnded(module, reason)));
        return;
      }
      // The third folder from the end names the app: apps/api/src/main.ts.
      if (!restarting) say(supervisorPhrases.processRestarts(module.split('/').at(-3) ?? '', reason));
      restarting = false;
      retry = setTimeout(start, pauses.next());
    });
  }

  start();
  return {
    listening: first.promise,
    restart() {
      if (retry === undefined) {
        restarting = true;
        child.process.kill('SIGTERM');
        return;
      }
      clearTimeout(retry);
      start();
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await child.end(DRAIN_MS);
    },
  };
}

/**
 * Resolves at the first Ctrl-C, SIGTERM or SIGHUP, or when the parent process dies. A later Ctrl-C exits at once with 130,
 * without the drain.
 */
export function stopOnSignals(): Promise<void> {
  return new Promise((resolve) => {
    let exitsAtOnce = false;
    const stop = () => {
      resolve();
      setTimeout(() => {
        exitsAtOnce = true;
      }, SAME_SIGNAL_MS);
    };
    process.on('SIGINT', () => (exitsAtOnce ? process.exit(130) : stop()));
    process.on('SIGTERM', stop);
    process.on('SIGHUP', stop);
    process.on('disconnect', stop);
  });
}
