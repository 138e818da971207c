import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { strangers } from '../core/fair-queue.ts';
import { type Derivation, derive as deriveIn } from './password-threads.ts';
import { createPasswords, ofProcess } from './passwords.ts';

// The hash threads have a low priority, so a hash may take long while other tests run.
vi.setConfig({ testTimeout: 30_000 });

/** Worker threads started by the current test. */
const threads: Worker[] = [];
const seen = (thread: Worker) => threads.push(thread);
process.on('worker', seen);
afterEach(async () => {
  // Each test starts without hash threads.
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
});

const passwords = createPasswords();
const derive = (derivation: Derivation) => deriveIn(derivation, ofProcess);
const quick = {
  message: 'correct horse',
  nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
  passes: 1,
  parallelism: 1,
  tagLength: 32,
};
/** Parameters of a hash that takes a few milliseconds. */
const cheap = { ...quick, memory: 64 };

test('a password matches its hash in any Unicode normalization form and never matches a missing hash', async () => {
  const phc = await passwords.hash('й и ё', ofProcess);
  expect(phc).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await passwords.verify('й и ё'.normalize('NFD'), phc, ofProcess)).toBe(true);
  expect(await passwords.verify('и й ё', phc, ofProcess)).toBe(false);
  expect(await passwords.verify('й и ё', undefined, ofProcess)).toBe(false);
});

test('two low-priority threads hash passwords and the other threads keep their priority', async () => {
  const own = getPriority();
  await Promise.all([cheap, cheap, cheap, cheap].map(derive));
  expect(threads).toHaveLength(2);
  // Nice 19 is the lowest priority, so the threads of a process at nice 19 cannot have a lower priority.
  expect(niceOfThreads().filter((nice) => nice > own)).toHaveLength(own < 19 ? 2 : 0);
  expect(getPriority()).toBe(own);
});

test('a hash thread that dies fails only the password hash in progress', async () => {
  const [first, second, waiting] = [derive(cheap), derive(cheap), derive(cheap)];
  const failed = expect(first).rejects.toThrow('The thread ended');
  // Waits for Node's 'worker' events, whose handler adds the new threads to `threads`.
  await nextTurn();
  await threads[0]?.terminate();
  await failed;
  expect(await second).toHaveLength(32);
  expect(await waiting).toHaveLength(32);
  // Terminates the threads that are idle now.
  await Promise.all(threads.map((thread) => thread.terminate()));
  expect(await derive(cheap)).toHaveLength(32);
});

test('parameters that argon2 refuses fail only the hash that uses them', async () => {
  await expect(derive({ ...cheap, memory: 1 })).rejects.toThrow(/memory/);
  expect(await derive(cheap)).toHaveLength(32);
});

test('the hash queue refuses more than 200 waiting hashes of one network and 500 in all', async () => {
  const of = (n: number, address: string) =>
    Array.from({ length: n }, () => deriveIn(cheap, strangers(address)));
  const crowd = Promise.allSettled([
    ...of(203, '192.0.2.1'),
    ...of(200, '198.51.100.1'),
    ...of(101, '203.0.113.1'),
  ]);
  const refused = (await crowd).filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([
    // When the queue is full, a hash for a new network replaces the last hash of the longest queue.
    { reason: { code: 'busy', facts: { retryAfter: 1 } } },
    { reason: { code: 'too_many_requests', facts: { retryAfter: 1 } } },
  ]);
});

test('idle hash threads do not keep a process alive', async () => {
  const program = `const { createPasswords, ofProcess } = await import(${JSON.stringify(new URL('./passwords.ts', import.meta.url).href)});
    process.stdout.write(await createPasswords().hash('correct horse', ofProcess));`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 15_000,
  });
  expect((await ended).stdout).toContain('$argon2id$');
});

/** The nice value of every thread of this process, read from /proc. */
function niceOfThreads(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}
