import { createPairing, login, pair, useLink } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import {
  confirmSecondFactor,
  endSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '@propusk/contract/second-factor';
import { answered, PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { appCode } from '@propusk/test-kit/api/app-code';
import { enrol } from '@propusk/test-kit/api/authenticator';
import { everything } from '@propusk/test-kit/backup/compare';
import { addLink } from '@propusk/test-kit/matrix/inserts';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createPasswords } from './passwords.ts';

let api: TestApi;
let second: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  second = await startApi(inject('serverUrl'), { shared: api.database });
});
afterAll(async () => {
  await second.close();
  await api.close();
});

let addresses = 0;
const fresh = () => `10.14.${addresses >> 8}.${addresses++ & 255}`;
const signIn = (email: string, code?: string, { password = PASSWORD, from = fresh(), on = api } = {}) =>
  on.call(null, login, { body: { email, password, ...(code !== undefined && { code }) }, from });
const outcome = async (reply: ReturnType<typeof signIn>) => {
  const { status, error } = await reply;
  return status === 200 ? 200 : `${status} ${error.code}`;
};
const tally = (answers: readonly unknown[]) =>
  Object.fromEntries(
    [...new Set(answers)].map((one) => [one, answers.filter((each) => each === one).length]),
  );
const alive = async (token: string) => (await api.call(token, me)).status === 200;
const account = async (email: string) => {
  const { rows } = await api.database.pool.query(
    'select id, version, gateway_epoch as epoch from users where email = $1',
    [email],
  );
  return rows[0];
};
const markCodesUnused = () => api.database.pool.query('update second_factors set last_step = 0');
const proof = (code: string) => ({ currentPassword: PASSWORD, code });

describe('turning the second factor on', () => {
  test('turning the second factor on needs the password and a code', async () => {
    const { token, email } = await api.company();
    const body = { currentPassword: 'wrong horse' };
    const refused = await api.call(token, startSecondFactor, { body, from: fresh() });
    expect([refused.status, refused.error.fields]).toEqual([400, { currentPassword: 'Неверный пароль' }]);
    const { secret, uri } = await api.must(token, startSecondFactor, { body: { currentPassword: PASSWORD } });
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(await outcome(signIn(email))).toBe(200);
    expect(await api.must(token, getSecondFactor)).toEqual({ on: false, since: null, recoveryCodes: 0 });
    const wrong = await api.call(token, confirmSecondFactor, { body: { code: '000000' } });
    expect([wrong.status, Object.keys(wrong.error.fields ?? {})]).toEqual([400, ['code']]);
    expect(await outcome(signIn(email))).toBe(200);
    const code = appCode(secret);
    const { codes } = await api.must(token, confirmSecondFactor, { body: { code } });
    expect(codes).toHaveLength(10);
    expect(await api.must(token, getSecondFactor)).toMatchObject({ on: true, recoveryCodes: 10 });
    expect((await api.must(token, me)).secondFactor).toBe(true);
    expect(await outcome(signIn(email))).toBe('401 second_factor_needed');
    // The code that turned the second factor on cannot be used again.
    expect(await outcome(signIn(email, code))).toBe('401 wrong_code');
    expect(await outcome(signIn(email, appCode(secret, 1)))).toBe(200);
  });

  test('turning the second factor on ends the other sessions of the user', async () => {
    const { token, email } = await api.company();
    const other = (await signIn(email)).body.token;
    await api.must(null, useLink, { body: { email }, from: fresh() });
    const links = async () =>
      (
        await api.database.pool.query(
          'select from mail_links l join users u on u.id = user_id where email = $1',
          [email],
        )
      ).rowCount;
    await expect.poll(links).toBe(1);
    const before = await account(email);
    await enrol(api, token);
    expect([await alive(token), await alive(other), await links()]).toEqual([true, false, 0]);
    const after = await account(email);
    expect(after.epoch).toBe(before.epoch + 1);
    expect(after.version).toBeGreaterThan(before.version);
  });

  test('setting up a second factor again replaces the unconfirmed secret', async () => {
    const { token, email } = await api.company();
    const body = { currentPassword: PASSWORD };
    expect((await api.call(token, confirmSecondFactor, { body: { code: '123456' } })).error.code).toBe(
      'second_factor_not_begun',
    );
    const first = await api.must(token, startSecondFactor, { body });
    const second = await api.must(token, startSecondFactor, { body });
    const confirm = (secret: string) =>
      api.call(token, confirmSecondFactor, { body: { code: appCode(secret) } });
    expect((await confirm(first.secret)).status).toBe(400);
    await api.database.pool.query(
      `update second_factors set begun_at = now() - interval '61 minutes' where user_id = $1`,
      [(await account(email)).id],
    );
    expect((await confirm(second.secret)).error.code).toBe('second_factor_not_begun');
    const third = await api.must(token, startSecondFactor, { body });
    expect((await confirm(third.secret)).status).toBe(200);
    expect((await api.call(token, startSecondFactor, { body })).error.code).toBe('second_factor_on');
    expect((await confirm(third.secret)).error.code).toBe('second_factor_on');
  });
});

describe('signing in with a second factor', () => {
  test('a sign-in with a wrong password does not reveal whether the account has a second factor', async () => {
    const plain = await api.company();
    const { token, email } = await api.company();
    const { secret } = await enrol(api, token);
    for (const code of [undefined, '000000', appCode(secret)]) {
      const [guarded, unguarded, nobody] = await Promise.all(
        [email, plain.email, 'nobody@company.test'].map((one) =>
          signIn(one, code, { password: 'wrong horse' }),
        ),
      );
      expect(guarded).toMatchObject({ status: 401, error: { code: 'bad_login' } });
      expect([guarded?.error, unguarded?.error]).toEqual([nobody?.error, nobody?.error]);
    }
    // The sign-in with the wrong password did not consume the right code.
    expect(await outcome(signIn(email, appCode(secret)))).toBe(200);
  });

  test('a sign-in with a wrong password takes the same time with and without a second factor', async () => {
    const slow = await startApi(inject('serverUrl'), { shared: api.database, passwords: createPasswords() });
    onTestFinished(() => slow.close());
    const plain = await slow.company();
    const { token, email } = await slow.company();
    await enrol(slow, token);
    const times: Record<string, number[]> = { [plain.email]: [], [email]: [] };
    for (let i = 0; i < 15; i++) {
      for (const one of [plain.email, email]) {
        const started = performance.now();
        await signIn(one, '000000', { password: 'wrong horse', on: slow });
        times[one]?.push(performance.now() - started);
      }
    }
    const [without = 0, withOne = 0] = Object.values(times).map(
      (all) => all.toSorted((a, b) => a - b)[7] ?? 0,
    );
    // The limit detects a second password hash, which would double the time of a sign-in. A check of a code is far faster.
    expect(Math.abs(without - withOne) / without).toBeLessThan(0.5);
  });

  test('a used code and every earlier code are refused', async () => {
    const { token, email } = await api.company();
    const { secret } = await enrol(api, token);
    const code = appCode(secret, 1);
    const before = appCode(secret);
    expect(await outcome(signIn(email, code))).toBe(200);
    expect(await outcome(signIn(email, code))).toBe('401 wrong_code');
    expect(await outcome(signIn(email, before))).toBe('401 wrong_code');
  });

  test('a code of another user or outside the time window is refused', async () => {
    const [one, other] = [await api.company(), await api.company()];
    const { secret } = await enrol(api, one.token);
    await enrol(api, other.token);
    await markCodesUnused();
    for (const code of [appCode(secret, -3), appCode(secret, 3)]) {
      expect(await outcome(signIn(one.email, code))).toBe('401 wrong_code');
    }
    expect(await outcome(signIn(other.email, appCode(secret)))).toBe('401 wrong_code');
    expect(await outcome(signIn(one.email, ` ${appCode(secret).replace(/^.{3}/, '$& ')} `))).toBe(200);
  });

  test('100 concurrent sign-ins with one code open exactly one session', async () => {
    const { token, email } = await api.company();
    const { secret } = await enrol(api, token);
    const code = appCode(secret, 1);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => outcome(answered(() => signIn(email, code)))),
    );
    expect(answers.filter((answer) => answer === 200)).toHaveLength(1);
    expect(
      Object.keys(tally(answers)).filter((answer) => !/^(200|401 wrong_code|429 .*)$/.test(answer)),
    ).toEqual([]);
    const { rows } = await api.database.pool.query(
      'select count(*) as n from sessions where user_id = (select id from users where email = $1)',
      [email],
    );
    // The first session turned the second factor on. The sign-in with the code opened the second session.
    expect(rows).toEqual([{ n: 2 }]);
  });

  test('a recovery code works once, in any spelling, and only for its own user', async () => {
    const [one, other] = [await api.company(), await api.company()];
    const { codes } = await enrol(api, one.token);
    await enrol(api, other.token);
    const [first = '', second = ''] = codes;
    expect(await outcome(signIn(other.email, first))).toBe('401 wrong_code');
    expect(await outcome(signIn(one.email, first))).toBe(200);
    expect(await outcome(signIn(one.email, first))).toBe('401 wrong_code');
    expect(await outcome(signIn(one.email, ` ${second.toLowerCase().replaceAll('-', ' ')}`))).toBe(200);
    expect((await api.must(one.token, getSecondFactor)).recoveryCodes).toBe(8);
  });

  test('100 concurrent sign-ins with one recovery code open exactly one session', async () => {
    const { token, email } = await api.company();
    const { codes } = await enrol(api, token);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => outcome(answered(() => signIn(email, codes[0])))),
    );
    expect(answers.filter((answer) => answer === 200)).toHaveLength(1);
    expect((await api.must(token, getSecondFactor)).recoveryCodes).toBe(9);
  });

  test('a password reset by mail keeps the second factor on', async () => {
    const { token, email } = await api.company();
    const { secret } = await enrol(api, token);
    const link = await addLink(api.database.db, (await account(email)).id, null);
    const password = 'another horse';
    await api.must(null, useLink, { body: { token: link, password }, from: fresh() });
    expect(await outcome(signIn(email, undefined, { password }))).toBe('401 second_factor_needed');
    expect(await outcome(signIn(email, appCode(secret), { password }))).toBe(200);
  });

  test('the extension needs a second-factor code to sign in by password, but not by pairing', async () => {
    const { token, email } = await api.company();
    const { secret } = await enrol(api, token);
    const { code } = await api.must(token, createPairing);
    expect(await alive((await api.must(null, pair, { body: { code }, from: fresh() })).token)).toBe(true);
    const body = { email, password: PASSWORD, client: 'extension' as const };
    const asked = await api.call(null, login, { body, from: fresh() });
    expect(asked.error.code).toBe('second_factor_needed');
    const withCode = { ...body, code: appCode(secret) };
    expect((await api.call(null, login, { body: withCode, from: fresh() })).status).toBe(200);
  });
});

describe('the limits on wrong second-factor codes', () => {
  test('two api processes together check at most 10 wrong codes from one IP address', async () => {
    const { token, email } = await api.company();
    const { secret } = await enrol(api, token);
    const from = fresh();
    const tries = Array.from({ length: 30 }, (_, i) =>
      outcome(signIn(email, '000000', { from, on: i % 2 === 0 ? api : second })),
    );
    expect(tally(await Promise.all(tries))).toEqual({ '401 wrong_code': 10, '429 too_many_requests': 20 });
    expect(await outcome(signIn(email, appCode(secret), { from }))).toBe('429 too_many_requests');
    expect(await outcome(signIn(email, appCode(secret)))).toBe(200);
  });

  test('one account accepts at most 20 wrong codes an hour from all addresses together', async () => {
    const { token, email } = await api.company();
    const { secret } = await enrol(api, token);
    const answers: unknown[] = [];
    for (let i = 0; i < 25; i++) {
      answers.push(await outcome(signIn(email, '000000', { on: i % 2 === 0 ? api : second })));
      // Both calls send the right password, which must not reset the count of wrong codes.
      expect(await outcome(signIn(email))).toBe('401 second_factor_needed');
      await api.call(token, startSecondFactor, { body: { currentPassword: PASSWORD }, from: fresh() });
    }
    expect(tally(answers)).toEqual({ '401 wrong_code': 20, '429 too_many_requests': 5 });
    expect(await outcome(signIn(email, appCode(secret)))).toBe('429 too_many_requests');
    // The limit of wrong codes also applies to turning the second factor off.
    const off = await api.call(token, endSecondFactor, { body: proof(appCode(secret)), from: fresh() });
    expect(off.status).toBe(429);
  });

  test('a sign-in without a code does not reset the count of wrong codes of its IP address', async () => {
    const { token, email } = await api.company();
    await enrol(api, token);
    const from = fresh();
    const answers: unknown[] = [];
    for (let i = 0; i < 12; i++) {
      answers.push(await outcome(signIn(email, '000000', { from })));
      await signIn(email, undefined, { from });
    }
    expect(tally(answers)).toEqual({ '401 wrong_code': 10, '429 too_many_requests': 2 });
  });
});

describe('changing a second factor that is on', () => {
  test('a call with password and code renews the recovery codes, and the old codes stop working', async () => {
    const { token, email } = await api.company();
    const { secret, codes } = await enrol(api, token);
    const renew = (body: { currentPassword: string; code: string }) =>
      api.call(token, renewRecoveryCodes, { body, from: fresh() });
    const wrong = { ...proof(appCode(secret)), currentPassword: 'wrong horse' };
    expect((await renew(wrong)).error.fields).toEqual({ currentPassword: 'Неверный пароль' });
    expect(Object.keys((await renew(proof('000000'))).error.fields ?? {})).toEqual(['code']);
    const fresher = (await renew(proof(appCode(secret)))).body.codes;
    expect(fresher).toHaveLength(10);
    expect(await outcome(signIn(email, codes[3]))).toBe('401 wrong_code');
    expect(await outcome(signIn(email, fresher[3]))).toBe(200);
  });

  test('a call with password and code turns the second factor off and deletes its rows', async () => {
    const { token, email } = await api.company();
    const { secret, codes } = await enrol(api, token);
    const off = (body: { currentPassword: string; code: string }) =>
      api.call(token, endSecondFactor, { body, from: fresh() });
    expect((await off({ ...proof(codes[0] ?? ''), currentPassword: 'wrong horse' })).status).toBe(400);
    expect((await off(proof('000000'))).status).toBe(400);
    expect((await api.must(token, me)).secondFactor).toBe(true);
    expect((await off(proof(codes[0] ?? ''))).status).toBe(204);
    expect(await alive(token)).toBe(true);
    expect((await off(proof(appCode(secret)))).error.code).toBe('second_factor_off');
    expect(await outcome(signIn(email))).toBe(200);
    const { rows } = await api.database.pool.query(
      `select (select count(*) from second_factors where user_id = u.id) as factors,
        (select count(*) from recovery_codes where user_id = u.id) as codes from users u where email = $1`,
      [email],
    );
    expect(rows).toEqual([{ factors: 0, codes: 0 }]);
    // A new enrolment has a new secret.
    expect((await enrol(api, token)).secret).not.toBe(secret);
  });

  test('the database, the log and the stored replies contain no secret and no code in plain text', async () => {
    const lines: string[] = [];
    const loud = await startApi(inject('serverUrl'), { logTo: (line) => lines.push(line) });
    const { token, email } = await loud.company();
    const headers = { 'idempotency-key': 'once' };
    const start = { body: { currentPassword: PASSWORD }, headers };
    const { secret, uri } = await loud.must(token, startSecondFactor, start);
    const code = appCode(secret, -1);
    const { codes } = await loud.must(token, confirmSecondFactor, { body: { code }, headers });
    await signIn(email, codes[0], { on: loud });
    const renewed = await loud.must(token, renewRecoveryCodes, {
      body: proof(appCode(secret)),
      headers,
    });
    const stored = Object.values(await everything(loud.database.pool).then(({ tables }) => tables));
    const replies = JSON.stringify([await loud.must(token, me), await loud.must(token, getSecondFactor)]);
    await loud.close();
    const secrets = [secret, uri, ...codes, ...renewed.codes, Buffer.from(secret).toString('hex')];
    const text = JSON.stringify(stored) + lines.join('') + replies;
    expect(text).toContain(email);
    for (const each of secrets) {
      expect(text).not.toContain(each);
      expect(text).not.toContain(each.replaceAll('-', ''));
    }
    expect(lines.join('')).not.toContain(code);
  });
});
