import { changeOwnPassword, login, useLink } from '@propusk/contract/auth';
import { DEVICE_HEADER } from '@propusk/contract/endpoint';
import { me } from '@propusk/contract/me';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { addSession } from '@propusk/test-kit/matrix/inserts';
import { quickOrSoak, threatCase } from '@propusk/test-kit/threat-case';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

/** A user must be able to sign in even after strangers have exhausted the account's budget of password checks. */

vi.setConfig({ testTimeout: 120_000 });

const THREAT = 'brute force, enumeration';
let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

let networks = 0;
/** An IP address in a /24 network that no other call of this file uses. */
const fresh = () => `10.${100 + (networks >> 8)}.${networks++ & 255}.1`;
const signIn = (email: string, from: string, password: string, mark?: string) =>
  api.call(null, login, {
    body: { email, password },
    from,
    ...(mark !== undefined && { headers: { [DEVICE_HEADER]: mark } }),
  });
const markOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  String(headers[DEVICE_HEADER]);
const askLink = (email: string, from: string) => api.call(null, useLink, { body: { email }, from });
/** Exhausts the account's budget of password checks. Then sign-ins from every IP address are refused. */
async function exhaustAccount(email: string, addresses = 14, each = 8): Promise<void> {
  const from = Array.from({ length: addresses }, fresh);
  await Promise.all(
    from.flatMap((address) => Array.from({ length: each }, () => signIn(email, address, 'wrong horse'))),
  );
}
async function markedOwner() {
  const { email, token } = await api.company();
  const reply = await signIn(email, fresh(), PASSWORD);
  return { email, token, mark: markOf(reply) };
}

test('an owner can sign in from a known browser while 200 IP addresses guess the password', () =>
  threatCase(THREAT, '200 addresses guess and request links: the owner signs in', async (tally) => {
    for (let round = 0; round < quickOrSoak(1, 5); round++) {
      await api.database.pool.query('delete from rate_limits');
      const { email, mark } = await markedOwner();
      const guesses = exhaustAccount(email, 200, quickOrSoak(1, 8));
      const during = await signIn(email, fresh(), PASSWORD, mark);
      tally.see(during.status === 200, `the known browser got ${during.status} during the guesses`);
      await guesses;
      const without = await signIn(email, fresh(), PASSWORD);
      tally.see(without.status === 429, `the guesses left tries: ${without.status}`);
      const after = await signIn(email, fresh(), PASSWORD, mark);
      tally.see(after.status === 200, `the known browser got ${after.status}`);
      const strangers = Array.from({ length: 4 }, fresh);
      for (let i = 0; i < 5; i++) await Promise.all(strangers.map((address) => askLink(email, address)));
      const refused = await askLink(email, fresh());
      const wait = Number(refused.headers['retry-after']);
      tally.see(refused.status === 204 || wait <= 60, `a link in ${wait} s`);
      await api.database.pool.query("update rate_limits set expire = $1 where key like 'linkMinute:%'", [
        Date.now() - 1,
      ]);
      const { status } = await askLink(email, fresh());
      tally.see(status === 204, `a minute later the link got ${status}`);
    }
  }));

test('a device mark allows ten password checks, but only for the account that received the mark', async () => {
  const { email, token, mark } = await markedOwner();
  const foreign = (await markedOwner()).mark;
  await exhaustAccount(email);
  const at = mark.length >> 1;
  const forged = mark.slice(0, at) + (mark[at] === 'A' ? 'B' : 'A') + mark.slice(at + 1);
  for (const bad of [foreign, forged, 'x', '']) {
    expect((await signIn(email, fresh(), PASSWORD, bad)).status).toBe(429);
  }
  const wrong = [];
  for (let i = 0; i < 11; i++) wrong.push((await signIn(email, fresh(), 'wrong horse', mark)).status);
  expect(wrong).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect((await signIn(email, fresh(), PASSWORD, mark)).status).toBe(429);
  await api.database.pool.query("delete from rate_limits where key like 'passwordDevice:%'");
  expect((await signIn(email, fresh(), PASSWORD, mark)).status).toBe(200);
  const body = { currentPassword: PASSWORD, password: 'another horse' };
  const changed = await api.call(token, changeOwnPassword, { body, from: fresh() });
  expect(changed.status).toBe(204);
  expect((await signIn(email, fresh(), 'another horse', mark)).status).toBe(429);
  expect((await signIn(email, fresh(), 'another horse', markOf(changed))).status).toBe(200);
});

test('strangers cause at most 100 mails a day to a mailbox', async () => {
  const { email } = await api.company();
  const spend = async (budgets: string) => {
    await api.database.pool.query('delete from rate_limits where key similar to $1', [`(${budgets}):%`]);
  };
  let sent = 0;
  for (let quarter = 0; quarter < 12; quarter++) {
    await spend('linkEmail|linkMinute');
    const asks = await Promise.all(Array.from({ length: 14 }, () => askLink(email, fresh())));
    sent += asks.filter(({ status }) => status === 204).length;
  }
  expect(sent).toBeGreaterThan(95);
  expect(sent).toBeLessThanOrEqual(101);
  await spend('linkEmail|linkMinute');
  const refused = await askLink(email, fresh());
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(300);
  await spend('linkSlow');
  expect((await askLink(email, fresh())).status).toBe(204);
});

test('a user in a known browser can end stolen sessions while 200 networks guess the password', () =>
  threatCase(
    THREAT,
    'guesses of a current password with stolen sessions from 200 networks',
    async (tally) => {
      const { email, mark } = await markedOwner();
      const known = (await signIn(email, fresh(), PASSWORD, mark)).body.token;
      const { id } = await api.must(known, me);
      const stolen = await Promise.all(Array.from({ length: 5 }, () => addSession(api.database.db, id)));
      const guess = (token: string, from: string) =>
        api.call(token, changeOwnPassword, {
          body: { currentPassword: 'wrong horse', password: 'another horse' },
          from,
        });
      const from200 = Array.from({ length: 200 }, fresh);
      const replies = await Promise.all(from200.map((from, i) => guess(stolen[i % 5] ?? '', from)));
      const checked = replies.filter(({ status }) => status === 400).length;
      tally.see(checked <= 20, `${checked} guesses were checked`);
      const body = { currentPassword: PASSWORD, password: 'another horse' };
      const without = await api.call(known, changeOwnPassword, { body, from: fresh() });
      tally.see(without.status === 429, `a browser without a mark got ${without.status}`);
      const headers = { [DEVICE_HEADER]: mark };
      const changed = await api.call(known, changeOwnPassword, { body, headers, from: fresh() });
      tally.see(changed.status === 204, `the known browser got ${changed.status}`);
      for (const token of stolen)
        tally.see((await api.call(token, me)).status === 401, 'a stolen session lives');
    },
  ));
