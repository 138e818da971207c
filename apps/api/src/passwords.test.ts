import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { strangers } from './core/fair-queue.ts';
import { type Derivation, derive as deriveIn } from './password-threads.ts';
import { hashPassword, ofProcess, verifyPassword } from './passwords.ts';

// They stand behind every other test that runs at the same time.
vi.setConfig({ testTimeout: 30_000 });

/** Threads that were started meanwhile. */
const threads: Worker[] = [];
const seen = (thread: Worker) => threads.push(thread);
process.on('worker', seen);
afterEach(async () => {
  // Each test begins without any.
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
});

const derive = (derivation: Derivation) => deriveIn(derivation, ofProcess);
const quick = {
  message: 'correct horse',
  nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
  passes: 1,
  parallelism: 1,
  tagLength: 32,
};
/** Some milliseconds. */
const cheap = { ...quick, memory: 64 };

test('a password is the one that was hashed, however its letters are composed; without a hash it never is', async () => {
  const phc = await hashPassword('й и ё', ofProcess);
  expect(phc).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verifyPassword('й и ё'.normalize('NFD'), phc, ofProcess)).toBe(true);
  expect(await verifyPassword('и й ё', phc, ofProcess)).toBe(false);
  expect(await verifyPassword('й и ё', undefined, ofProcess)).toBe(false);
});

test('two threads hash, behind everybody else, and nobody else is put back', async () => {
  const own = getPriority();
  await Promise.all([cheap, cheap, cheap, cheap].map(derive));
  expect(threads).toHaveLength(2);
  // Where all of it runs behind everybody else already, nothing is left to go back.
  expect(niceOfThreads().filter((nice) => nice > own)).toHaveLength(own < 19 ? 2 : 0);
  expect(getPriority()).toBe(own);
});

test('a thread that dies fails its own derivation; those who wait, and who come later, get another', async () => {
  const [first, second, waiting] = [derive(cheap), derive(cheap), derive(cheap)];
  const failed = expect(first).rejects.toThrow('The thread ended');
  // Node tells of a new thread in the next turn; it takes many more to begin.
  await nextTurn();
  await threads[0]?.terminate();
  await failed;
  expect(await second).toHaveLength(32);
  expect(await waiting).toHaveLength(32);
  // Those that have nothing to do die, too.
  await Promise.all(threads.map((thread) => thread.terminate()));
  expect(await derive(cheap)).toHaveLength(32);
});

test('what argon2 refuses is an error of its own derivation', async () => {
  await expect(derive({ ...cheap, memory: 1 })).rejects.toThrow(/memory/);
  expect(await derive(cheap)).toHaveLength(32);
});

test('refuses more waiters than 200 of a network and 500 in all, each with a time to come back', async () => {
  const of = (n: number, address: string) =>
    Array.from({ length: n }, () => deriveIn(cheap, strangers(address)));
  const crowd = Promise.allSettled([
    ...of(203, '192.0.2.1'),
    ...of(200, '198.51.100.1'),
    ...of(101, '203.0.113.1'),
  ]);
  const refused = (await crowd).filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([
    // The last waiter of the longest line gives way to the newest network.
    { reason: { code: 'busy', facts: { retryAfter: 1 } } },
    { reason: { code: 'too_many_requests', facts: { retryAfter: 1 } } },
  ]);
});

test('a process that has hashed ends when it has nothing else to do', async () => {
  const program = `const { hashPassword, ofProcess } = await import(${JSON.stringify(new URL('./passwords.ts', import.meta.url).href)});
    process.stdout.write(await hashPassword('correct horse', ofProcess));`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    timeout: 15_000,
  });
  expect((await ended).stdout).toContain('$argon2id$');
});

/** Of every thread of this process, by the kernel. */
function niceOfThreads(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}
