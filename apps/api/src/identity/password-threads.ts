import { Worker } from 'node:worker_threads';
import { createFairQueue, type Lane } from '../core/fair-queue.ts';

/** The input of one argon2id derivation. Its bytes are strings, because postMessage copies the whole pool of a small Buffer. */
export interface Derivation {
  readonly message: string;
  /** In base64. */
  readonly nonce: string;
  /** In KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly tagLength: number;
}

/** Each thread uses 46 MiB while it hashes. */
const THREADS = 2;
/**
 * The maximum numbers of waiting hashes, for one network or user and in total. 200 hashes are enough for an office whose users
 * sign in at once. Two threads compute 500 hashes in about 15 s.
 */
const WAITING = { ofLane: 200, ofAll: 500 };

const turns = createFairQueue({ atOnce: THREADS, ...WAITING });
// Grows with sign-ins. Bound: 2 threads of 46 MiB while they hash. At the bound: further hashes wait in the queue
const idle: Worker[] = [];

/**
 * Runs argon2id in a low-priority thread, so that concurrent sign-ins do not slow other calls down. Threads start on demand,
 * are reused, and do not keep the process alive. A thread that dies fails only its own derivation.
 * @param lane the queue of the caller, in which the derivation waits
 * @throws AppError too_many_requests when the lane of an unauthenticated caller is full; busy when the whole queue, or the lane
 *   of a user with a session or device mark, is full
 */
export function derive(derivation: Derivation, lane: Lane): Promise<Uint8Array> {
  return turns(lane, () => run(idle.pop() ?? start(), derivation));
}

function start(): Worker {
  // The thread gets no command-line flags of the process, because some flags prevent a thread from starting.
  const thread = new Worker(new URL('./password-thread.ts', import.meta.url), { execArgv: [] });
  // Without a listener, the error of an idle thread would end the process.
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
      removeListeners();
      reject(error);
    };
    const end = () => fail(new Error('The thread ended before the password was hashed'));
    const take = (tag: Uint8Array) => {
      removeListeners();
      thread.unref();
      idle.push(thread);
      resolve(tag);
    };
    const removeListeners = () => thread.off('message', take).off('error', fail).off('exit', end);
    thread.on('message', take).on('error', fail).on('exit', end);
    thread.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window: it has no origin
    thread.postMessage(derivation);
  });
}
