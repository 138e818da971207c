import { type ChildProcess, fork } from 'node:child_process';

const DRAIN_MS = 7_000;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;

/** A program of ours that is kept running. */
export interface Kept {
  /** Resolves when it listens for the first time; rejects with its own last line when it ends before that. */
  readonly listening: Promise<void>;
  /** Ends it and starts it again, as after a change of its code. */
  restart(): void;
  /** Lets it finish its requests, and ends it. */
  stop(): Promise<void>;
}

/** The line that a child printed before it gave up: it is for the person at the terminal. */
export class ChildFailed extends Error {}

/**
 * Starts a program and, once it has listened, starts it again whenever it ends by itself, later and later.
 * @param module path of a .ts file that sends `{type: 'listening'}` when it serves, and drains on SIGTERM
 */
export function keepRunning(module: string, env: NodeJS.ProcessEnv, say: (line: string) => void): Kept {
  const first = Promise.withResolvers<void>();
  // Whoever stops before it listens no longer waits for it.
  first.promise.catch(() => {});
  let child: ChildProcess;
  let stopped = false;
  let restarting = false;
  let everListened = false;
  let retryMs = FIRST_RETRY_MS;
  let retry: NodeJS.Timeout | undefined;

  function start(): void {
    retry = undefined;
    let lastWords = '';
    child = fork(module, { env, stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
    child.stderr?.on('data', (bytes: Buffer) => {
      lastWords = (lastWords + bytes.toString()).slice(-4000);
      // Before the start is done its words become our own one line.
      if (everListened) process.stderr.write(bytes);
    });
    child.on('message', (message: { type?: string }) => {
      if (message.type !== 'listening') return;
      everListened = true;
      retryMs = FIRST_RETRY_MS;
      first.resolve();
    });
    child.on('close', (code, signal) => {
      if (stopped) return;
      if (!everListened) {
        first.reject(new ChildFailed(lastWords.trim() || `Процесс ${module} завершился: ${signal ?? code}`));
        return;
      }
      if (!restarting)
        say(`Процесс ${module.split('/').at(-3)} завершился (${signal ?? code}), запускаю снова`);
      restarting = false;
      retry = setTimeout(start, retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    });
  }

  start();
  return {
    listening: first.promise,
    restart() {
      if (retry === undefined) {
        restarting = true;
        child.kill('SIGTERM');
        return;
      }
      clearTimeout(retry);
      start();
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const deadline = setTimeout(() => child.kill('SIGKILL'), DRAIN_MS);
      await ended;
      clearTimeout(deadline);
    },
  };
}

/**
 * Waits for a wish to stop: Ctrl-C, SIGTERM, or the death of the process that started us. A second Ctrl-C does not wait
 * for the drain.
 */
export function stopOnSignals(): { first: Promise<void> } {
  let told = false;
  const first = new Promise<void>((resolve) => {
    const stop = () => {
      resolve();
      // npm and a terminal may both deliver one Ctrl-C.
      setTimeout(() => {
        told = true;
      }, 1_000);
    };
    process.on('SIGINT', () => (told ? process.exit(130) : stop()));
    process.on('SIGTERM', stop);
    process.on('SIGHUP', stop);
    process.on('disconnect', stop);
  });
  return { first };
}
