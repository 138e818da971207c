import { argon2Sync, randomBytes } from 'node:crypto';
import { createPasswords, ofProcess } from '@propusk/api/identity/passwords';

/**
 * Repeats the argon2id hash of one sign-in without the api, for the `ms` of each message, and replies with
 * the median in milliseconds.
 */
const PASSWORD = 'correct horse battery';
const hash = await createPasswords().hash(PASSWORD, ofProcess);
const [, memory, passes, parallelism] = (/m=(\d+),t=(\d+),p=(\d+)/.exec(hash) ?? []).map(Number);
if (memory === undefined || passes === undefined || parallelism === undefined) throw new Error(hash);
const cost = { memory, passes, parallelism, tagLength: 32 };

process.on('message', ({ ms }: { ms: number }) => {
  const times: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const started = performance.now();
    argon2Sync('argon2id', { message: PASSWORD, nonce: randomBytes(16), ...cost });
    times.push(performance.now() - started);
  }
  times.sort((a, b) => a - b);
  process.send?.({ type: 'seen', p50: times[Math.floor(times.length / 2)] ?? Number.NaN });
});
process.send?.({ type: 'ready', hash, password: PASSWORD });
