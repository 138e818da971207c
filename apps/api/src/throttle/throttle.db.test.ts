import { changeOwnPassword, login, pair, useLink } from '@propusk/contract/auth';
import { openLockLink } from '@propusk/contract/lock';
import { me } from '@propusk/contract/me';
import { register } from '@propusk/contract/registration';
import { startSecondFactor } from '@propusk/contract/second-factor';
import { answered, PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { addLink, addPairing, addSession, addUser } from '@propusk/test-kit/matrix/inserts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'), { settings: { trustProxy: ['198.51.100.0/24'] } });
  second = await startApi(inject('serverUrl'), { shared: api.database });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

let addresses = 0;
const freshAddress = () => `10.2.${addresses >> 8}.${addresses++ & 255}`;

interface Try {
  email: string;
  password?: string;
  from: string;
  on?: TestApi;
  headers?: Record<string, string>;
}
const signIn = ({ email, password = 'wrong horse', on = api, ...parts }: Try) =>
  on.call(null, login, { body: { email, password }, ...parts });
const statuses = async (tries: Promise<{ status: number }>[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(tries)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const times = <T>(n: number, make: (i: number) => T) => Array.from({ length: n }, (_, i) => make(i));

describe('password checks', () => {
  test('two api processes check only 10 of 50 concurrent passwords for one account', async () => {
    const { email } = await api.company();
    const from = freshAddress();
    const tries = times(50, (i) => signIn({ email, from, on: i % 2 === 0 ? api : second }));
    expect(await statuses(tries)).toEqual({ 401: 10, 429: 40 });
    const right = await signIn({ email, password: PASSWORD, from });
    expect([right.status, right.error]).toEqual([
      429,
      { code: 'too_many_requests', message: 'Слишком много попыток. Попробуйте снова через 15 минут' },
    ]);
    const wait = Number(right.headers['retry-after']);
    expect(wait).toBeGreaterThan(14 * 60);
    expect(wait).toBeLessThanOrEqual(15 * 60);
    expect((await signIn({ email, password: PASSWORD, from: freshAddress() })).status).toBe(200);
    expect((await signIn({ email, password: PASSWORD, from })).status).toBe(429);
  });

  test('all spellings of an email address share one sign-in limit', async () => {
    const { email } = await api.company();
    const from = freshAddress();
    const spellings = [email, email.toUpperCase(), ` ${email}`, `${email}\t`, email.replace('o', 'O')];
    const tries = times(20, (i) => signIn({ email: spellings[i % 5] ?? email, from }));
    expect(await statuses(tries)).toEqual({ 401: 10, 429: 10 });
  });

  test('an email without an account is limited like one with an account', async () => {
    const from = freshAddress();
    expect(await statuses(times(12, () => signIn({ email: 'nobody@company.test', from })))).toEqual({
      401: 10,
      429: 2,
    });
  });

  test('a right password is not counted and resets the count of wrong passwords', async () => {
    const { email } = await api.company();
    const from = freshAddress();
    const right = () => signIn({ email, password: PASSWORD, from });
    for (let round = 0; round < 2; round++) {
      expect(await statuses(times(9, () => signIn({ email, from })))).toEqual({ 401: 9 });
      expect((await right()).status).toBe(200);
    }
    for (let i = 0; i < 15; i++) expect((await right()).status).toBe(200);
  });

  test('after 100 wrong passwords, an IP address gets 429 for every account', async () => {
    const { email } = await api.company();
    const from = freshAddress();
    for (let i = 0; i < 3; i++) expect((await signIn({ email, password: PASSWORD, from })).status).toBe(200);
    const tries = times(110, (i) => signIn({ email: `guess${i}@company.test`, from }));
    expect(await statuses(tries)).toEqual({ 401: 100, 429: 10 });
    expect((await signIn({ email, password: PASSWORD, from })).status).toBe(429);
    expect((await signIn({ email, password: PASSWORD, from: freshAddress() })).status).toBe(200);
  });

  test('after 100 wrong passwords from any addresses, further sign-ins to the account get 429', async () => {
    const { email } = await api.company();
    const tries = times(110, () => signIn({ email, from: freshAddress() }));
    expect(await statuses(tries)).toEqual({ 401: 100, 429: 10 });
    expect((await signIn({ email, password: PASSWORD, from: freshAddress() })).status).toBe(429);
  });

  test('ten wrong current passwords end the session but do not count toward the sign-in limits', async () => {
    const { token, email } = await api.company();
    const { id } = await api.must(token, me);
    const { db } = api.database;
    const sessions = [token, await addSession(db, id), await addSession(db, id)];
    const from = freshAddress();
    expect(await statuses(times(5, () => signIn({ email, from })))).toEqual({ 401: 5 });
    const guess = (session: string, currentPassword = 'wrong horse') =>
      api.call(session, changeOwnPassword, { body: { currentPassword, password: 'another horse' }, from });
    const [first = '', other = '', third = ''] = sessions;
    // Of 30 concurrent guesses, the two api processes together check only ten.
    const body = { currentPassword: 'wrong horse', password: 'another horse' };
    const tries = times(30, (i) =>
      (i % 2 === 0 ? api : second).call(first, changeOwnPassword, { body, from }),
    );
    expect((await statuses(tries))[400]).toBe(10);
    expect((await api.call(first, me)).status).toBe(401);
    for (let n = 0; n < 10; n++) expect((await guess(other)).status).toBe(400);
    expect((await guess(other)).status).toBe(401);
    expect((await guess(third)).status).toBe(429);
    expect((await guess(third, PASSWORD)).status).toBe(429);
    expect((await api.call(third, me)).status).toBe(200);
    // Wrong current passwords do not use up the budgets of sign-in.
    expect((await signIn({ email, from, password: PASSWORD })).status).toBe(200);
  });

  test('a right current password resets the session’s count of wrong passwords', async () => {
    const { token } = await api.company();
    const check = (currentPassword: string) =>
      api.call(token, startSecondFactor, { body: { currentPassword } });
    for (let round = 0; round < 2; round++) {
      expect(await statuses(times(9, () => check('wrong horse')))).toEqual({ 400: 9 });
      expect((await check(PASSWORD)).status).toBe(200);
    }
  });

  test('the password limit resets after 15 minutes without an attempt and not before', async () => {
    const { email } = await api.company();
    const from = freshAddress();
    const expire = (ms: number) =>
      api.database.pool.query("update rate_limits set expire = $1 where key like 'passwordPair:%'", [
        Date.now() + ms,
      ]);
    await statuses(times(9, () => signIn({ email, from })));
    // Moves the end of the window to 5 s from now. The next attempt must extend the window to 15 minutes.
    await expire(5_000);
    await signIn({ email, from });
    const refused = await signIn({ email, from });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(14 * 60);
    await expire(62_500);
    expect((await signIn({ email, from })).error.message).toBe(
      'Слишком много попыток. Попробуйте снова через 2 минуты',
    );
    await expire(20_500);
    const soon = await signIn({ email, from });
    expect([soon.headers['retry-after'], soon.error.message]).toEqual([
      expect.stringMatching(/^(20|21)$/),
      'Слишком много попыток. Попробуйте снова через 1 минуту',
    ]);
    await expire(-1);
    expect((await signIn({ email, password: PASSWORD, from })).status).toBe(200);
  });
});

describe('rate limits count attempts by client address', () => {
  const forwarded = (value: string) => ({ 'x-forwarded-for': value });

  test('X-Forwarded-For of an untrusted peer does not change the client address', async () => {
    const { email } = await api.company();
    const from = freshAddress();
    const tries = times(20, (i) =>
      signIn({ email, from, headers: { ...forwarded(`203.0.113.${i}`), forwarded: `for=203.0.113.${i}` } }),
    );
    expect(await statuses(tries)).toEqual({ 401: 10, 429: 10 });
  });

  test('the client address is the last untrusted address in the X-Forwarded-For of a trusted proxy', async () => {
    const { email } = await api.company();
    const from = '198.51.100.9';
    const tries = times(12, (i) => signIn({ email, from, headers: forwarded(`203.0.113.${i}, 192.0.2.1`) }));
    expect(await statuses(tries)).toEqual({ 401: 10, 429: 2 });
    const other = { email, from, password: PASSWORD, headers: forwarded('192.0.2.2') };
    expect((await signIn(other)).status).toBe(200);
  });

  test('X-Forwarded-For is ignored without TRUST_PROXY', async () => {
    const { email } = await api.company();
    const tries = times(12, (i) =>
      signIn({ email, from: '198.51.100.9', on: second, headers: forwarded(`203.0.113.${i}`) }),
    );
    expect(await statuses(tries)).toEqual({ 401: 10, 429: 2 });
  });
});

test('one IP address may register 20 companies an hour', async () => {
  const from = freshAddress();
  const body = (i: number) => ({
    name: 'ООО Ромашка',
    companyName: 'ООО Ромашка',
    companySite: 'romashka.test',
    email: `many${i}@romashka.test`,
    password: PASSWORD,
  });
  // A registration with an invalid body does not count toward the limit.
  const unread = times(5, (i) => api.call(null, register, { body: { ...body(i), password: '' }, from }));
  expect(await statuses(unread)).toEqual({ 400: 5 });
  const tries = times(25, (i) => api.call(null, register, { body: body(i), from }));
  expect(await statuses(tries)).toEqual({ 201: 20, 429: 5 });
  const last = await api.call(null, register, { body: body(99), from });
  expect(last.error.message).toBe('Слишком много попыток. Попробуйте снова через 60 минут');
});

describe('requests for mailed links are limited', () => {
  const ask = (email: string, from: string) => api.call(null, useLink, { body: { email }, from });

  test('after a burst of requests, a mailbox gets at most one mailed link a minute', async () => {
    const { email } = await api.company();
    for (const mailbox of [email, 'nobody-at-all@company.test']) {
      const from = freshAddress();
      const spelled = (i: number) => (i % 2 === 0 ? mailbox : mailbox.toUpperCase());
      expect(await statuses(times(5, (i) => ask(spelled(i), from)))).toEqual({ 204: 4, 429: 1 });
      const elsewhere = times(12, (i) => ask(spelled(i), freshAddress()));
      expect(await statuses(elsewhere)).toEqual({ 204: 7, 429: 5 });
    }
  });

  test('refused link requests of one IP address do not use up the limits of the mailbox', async () => {
    const from = freshAddress();
    const tries = times(10, (i) => ask(`box${i}@company.test`, from));
    expect(await statuses(tries)).toEqual({ 204: 10 });
    expect(await statuses(times(5, () => ask('box-of-another@company.test', from)))).toEqual({
      204: 1,
      429: 4,
    });
    const elsewhere = times(3, () => ask('box-of-another@company.test', freshAddress()));
    expect(await statuses(elsewhere)).toEqual({ 204: 3 });
  });

  test('one IP address may try 30 invalid mail links and, separately, 30 invalid lock links', async () => {
    const from = freshAddress();
    const tries = times(35, (i) => api.call(null, useLink, { body: { token: `guess${i}` }, from }));
    expect(await statuses(tries)).toEqual({ 400: 30, 429: 5 });
    const locks = times(35, (i) => api.call(null, openLockLink, { body: { token: `guess${i}` }, from }));
    expect(await statuses(locks)).toEqual({ 400: 30, 429: 5 });
  });

  test('200 users behind one IP address can use valid links after wrong guesses from that address', async () => {
    const { token } = await api.company();
    const { company } = await api.must(token, me);
    const from = freshAddress();
    const { db } = api.database;
    const people = await Promise.all(
      times(400, (i) => {
        const user = { companyId: company?.id ?? 0, email: `colleague${i}@office.test`, hash: 'none' };
        return addUser(db, { ...user, roles: ['USER'] });
      }),
    );
    const links = await Promise.all(people.slice(200).map((id, i) => addLink(db, id, `new${i}@office.test`)));
    const codes = await Promise.all(people.slice(0, 200).map((id) => addPairing(db, id)));
    for (const round of ['first', 'after guesses']) {
      const half = round === 'first' ? [0, 100] : [100, 200];
      const used = [
        ...links
          .slice(...half)
          .map((link) => answered(() => api.call(null, useLink, { body: { token: link }, from }))),
        ...codes.slice(...half).map((code) => answered(() => api.call(null, pair, { body: { code }, from }))),
      ];
      expect(await statuses(used), round).toEqual({ 200: 100, 204: 100 });
      const guesses = times(40, (i) => api.call(null, useLink, { body: { token: `${round}${i}` }, from }));
      expect((await statuses(guesses))[429], round).toBeGreaterThan(9);
    }
  });
});

test('the rate limit table contains no IP address and no email', async () => {
  const { rows } = await api.database.pool.query('select key from rate_limits');
  expect(rows.length).toBeGreaterThan(100);
  for (const { key } of rows) expect(key).toMatch(/^[A-Za-z]+:([A-Za-z0-9_-]{43}|\d+)$/);
});

test('without a database every sign-in gets 503, and a sign-in succeeds as soon as the database is back', async () => {
  const alone = await startApi(inject('serverUrl'));
  const { email } = await alone.company();
  await alone.database.shut();
  const from = freshAddress();
  const tries = times(12, () => signIn({ email, password: PASSWORD, from, on: alone }));
  expect(await statuses(tries)).toEqual({ 503: 12 });
  await alone.database.reopen();
  expect((await signIn({ email, password: PASSWORD, from, on: alone })).status).toBe(200);
  await alone.close();
});
