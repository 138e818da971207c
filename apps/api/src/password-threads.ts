import { Worker } from 'node:worker_threads';
import { createFairQueue, type Lane } from './core/fair-queue.ts';

/** One argon2id to be run. Texts, since a small Buffer would be sent with all of the pool that it lies in. */
export interface Derivation {
  readonly message: string;
  /** In base64. */
  readonly nonce: string;
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly tagLength: number;
}

/** At 46 MiB each. */
const THREADS = 2;
/** Two threads serve 500 waiters in about 15 s. One network may have 200 of them: an office that signs in at once. */
const WAITING = { ofLane: 200, ofAll: 500 };

const turns = createFairQueue({ atOnce: THREADS, ...WAITING });
/** Threads that have been started and have nothing to do. */
// grows: by sign-ins; bound: 2 threads of 46 MiB while they hash; at the bound: further hashes wait in the queue;
// test: apps/api/src/auth/enumeration.db.test.ts
const idle: Worker[] = [];

/**
 * Runs argon2id in a thread of low priority: however many sign in at once, every other call has the processor first.
 * Threads start when they are needed, stay, and keep no process from ending. One that dies fails its own derivation, and the
 * next one gets a new thread.
 * @param lane where the derivation waits: lanes are served in turn
 * @throws AppError busy, too_many_requests when too many wait
 */
export function derive(derivation: Derivation, lane: Lane): Promise<Uint8Array> {
  return turns(lane, () => run(idle.pop() ?? start(), derivation));
}

function start(): Worker {
  // Flags of the process are for its own program: with some of them no thread would start.
  const thread = new Worker(new URL('./password-thread.ts', import.meta.url), { execArgv: [] });
  // Of one that dies idle nobody needs to hear; unheard, its error would end the process.
  thread.on('error', () => {});
  thread.on('exit', () => {
    const at = idle.indexOf(thread);
    if (at !== -1) idle.splice(at, 1);
  });
  return thread;
}

function run(thread: Worker, derivation: Derivation): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      leave();
      reject(error);
    };
    const end = () => fail(new Error('The thread ended before the password was hashed'));
    const take = (tag: Uint8Array) => {
      leave();
      thread.unref();
      idle.push(thread);
      resolve(tag);
    };
    const leave = () => thread.off('message', take).off('error', fail).off('exit', end);
    thread.on('message', take).on('error', fail).on('exit', end);
    thread.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window: it has no origin
    thread.postMessage(derivation);
  });
}
