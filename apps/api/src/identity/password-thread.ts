import { argon2Sync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Derivation } from './password-threads.ts';

/**
 * The nice increment of a hash thread. It gives the thread a third of the CPU weight of an ordinary thread (sched(7)). With the
 * lowest priority, the weight would be a seventieth, and sign-ins would starve on a busy machine.
 */
const NICER = 5;

// On Linux, this call sets the priority of the calling thread; on other systems it would set the priority of the process
// (setpriority(2), "C library/kernel differences"). Without permission, hashing runs at normal priority.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(getPriority() + NICER, 19));
  } catch {}
}

// Hashes synchronously, because asynchronous argon2 runs in libuv's threads, which do not have the priority of this thread.
parentPort?.on('message', ({ message, nonce, ...cost }: Derivation) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window: it has no origin
  parentPort?.postMessage(argon2Sync('argon2id', { message, nonce: Buffer.from(nonce, 'base64'), ...cost }));
});
