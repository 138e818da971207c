import { login, useLink } from '@propusk/contract/auth';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createPasswords } from './passwords.ts';

/** Tests against account enumeration, password guessing and the cracking of stolen hashes. */

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  const passwords = createPasswords();
  api = await startApi(inject('serverUrl'), { passwords });
  second = await startApi(inject('serverUrl'), { shared: api.database, passwords });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

const THREAT = 'brute force, enumeration';
let addresses = 0;
const fresh = () => `10.6.${addresses >> 8}.${addresses++ & 255}`;
const signIn = (email: string, from: string, password = 'wrong horse', on = api) =>
  on.call(null, login, { body: { email, password }, from });

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

test(
  'a wrong password and an unknown email get the same reply in the same time',
  {
    timeout: quickOrSoak(240_000, 600_000),
  },
  () =>
    threatCase(
      THREAT,
      'an unknown email and a wrong password in turn: same reply, median times',
      async (tally) => {
        const n = quickOrSoak(30, 500);
        // The tolerance allows for other load on the machine. The test still detects a reply without a password hash, which would
        // take a tenth of the time.
        const within = quickOrSoak(0.4, 0.05);
        const { email } = await api.company();
        const took = { wrong: [] as number[], unknown: [] as number[] };
        for (let i = 0; i < n; i++) {
          await api.database.pool.query('delete from rate_limits');
          const both = [
            [took.wrong, email],
            [took.unknown, `nobody${i}@company.test`],
          ] as const;
          const replies = [];
          // Alternates the order of the two sign-ins, so that the order does not distort their median times.
          for (const [times, address] of i % 2 === 0 ? both : both.toReversed()) {
            const began = performance.now();
            replies.push(await signIn(address, fresh()));
            times.push(performance.now() - began);
          }
          const [one, other] = replies.map(({ status, error }) => JSON.stringify([status, error]));
          tally.see(one === other, `${one} and ${other}`);
        }
        const [wrong, unknown] = [median(took.wrong), median(took.unknown)];
        tally.note(`medians ${wrong.toFixed(1)} and ${unknown.toFixed(1)} ms, n = ${n} each`);
        tally.see(Math.abs(unknown / wrong - 1) <= within, `medians ${wrong} and ${unknown} ms`);
      },
    ),
);

test(
  'two processes check at most ten of many concurrent guesses of one password',
  { timeout: quickOrSoak(240_000, 300_000) },
  () =>
    threatCase(
      THREAT,
      'concurrent guesses over two processes: ten per account and address, then 429',
      async (tally) => {
        for (let round = 0; round < quickOrSoak(1, 10); round++) {
          const { email } = await api.company();
          const from = fresh();
          const guesses = Array.from({ length: quickOrSoak(60, 200) }, (_, i) =>
            signIn(email, from, 'wrong horse', i % 2 === 0 ? api : second),
          );
          const statuses = (await Promise.all(guesses)).map(({ status }) => status);
          const checked = statuses.filter((status) => status !== 429).length;
          tally.see(checked <= 10, `${checked} were checked`);
          tally.held(statuses.length - checked);
          const { status } = await signIn(email, from, PASSWORD);
          tally.see(status === 429, `the right one after them is ${status}`);
        }
      },
    ),
);

test('every password is stored as argon2id with 46 MiB or more and its own salt', () =>
  threatCase(THREAT, 'stored passwords: argon2id, memory, salt', async (tally) => {
    const { token, email } = await api.company();
    await api.agent(token);
    await api.company();
    await api.call(null, useLink, { body: { email }, from: fresh() });
    const { rows } = await api.database.pool.query<{ password_hash: string }>(
      'select password_hash from users',
    );
    const salts = new Set<string>();
    for (const { password_hash } of rows) {
      const [, memory, passes, salt = ''] =
        /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$([A-Za-z0-9+/]{22,})\$[A-Za-z0-9+/]{43,}$/.exec(
          password_hash,
        ) ?? [];
      tally.see(Number(memory) >= 47_104 && Number(passes) >= 1, password_hash);
      salts.add(salt);
    }
    expect(rows.length).toBeGreaterThan(2);
    expect(salts.size).toBe(rows.length);
  }));
