import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { derive } from './password-threads.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

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
  const phc = await hashPassword('й и ё');
  expect(phc).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verifyPassword('й и ё'.normalize('NFD'), phc)).toBe(true);
  expect(await verifyPassword('и й ё', phc)).toBe(false);
  expect(await verifyPassword('й и ё', undefined)).toBe(false);
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

test('more than can wait are refused at once', async () => {
  const results = await Promise.allSettled(Array.from({ length: 503 }, () => derive(cheap)));
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: 'busy' } }]);
});

test('a process that has hashed ends when it has nothing else to do', async () => {
  const program = `const { hashPassword } = await import(${JSON.stringify(new URL('./passwords.ts', import.meta.url).href)});
    process.stdout.write(await hashPassword('correct horse'));`;
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
