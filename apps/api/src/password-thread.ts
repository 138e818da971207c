import { argon2Sync } from 'node:crypto';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { Derivation } from './password-threads.ts';

/**
 * What a thread of `password-threads.ts` runs: one derivation after another, behind everybody else. A third of an ordinary
 * thread's weight each (sched(7)): far lower, at a seventieth, nobody gets in while others keep the processor busy.
 */
const NICER = 5;

// On Linux alone this is the priority of the calling thread, not of the process (setpriority(2), "C library/kernel
// differences"). Where it is forbidden, people sign in at everybody's cost, but they sign in.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(getPriority() + NICER, 19));
  } catch {}
}

// In the thread itself: the asynchronous form would hand it to libuv's threads, whose priority is the process's.
parentPort?.on('message', ({ message, nonce, ...cost }: Derivation) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window: it has no origin
  parentPort?.postMessage(argon2Sync('argon2id', { message, nonce: Buffer.from(nonce, 'base64'), ...cost }));
});
