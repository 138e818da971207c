import { myAccess } from '@propusk/contract/access';
import { listAudit } from '@propusk/contract/audit';
import { login, logout, useLink } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { createProxy } from '@propusk/contract/proxies';
import { register } from '@propusk/contract/registration';
import { companyUsers, createUser, updateUser } from '@propusk/contract/users';
import { PASSWORD, startApi, type TestApi, testPasswords } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Passwords } from './passwords.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const newcomer = (email: string) => ({
  name: 'ООО Ромашка',
  ownerName: 'Иван',
  companyName: 'ООО Ромашка',
  companySite: 'romashka.test',
  email,
  password: PASSWORD,
});

test('a sign-in gets bad_login when its account is deleted after the check of the password', async () => {
  const owner = await api.company();
  const agent = await api.agent(owner.token);
  const passwords: Passwords = {
    ...testPasswords,
    async verify(...given) {
      const isRight = await testPasswords.verify(...given);
      await api.database.pool.query('delete from users where id = $1', [agent.id]);
      return isRight;
    },
  };
  const slow = await startApi(inject('serverUrl'), { shared: api.database, passwords });
  onTestFinished(() => slow.close());
  const reply = await slow.call(null, login, { body: { email: agent.email, password: PASSWORD } });
  expect([reply.status, reply.error.code]).toEqual([401, 'bad_login']);
});

describe('registration', () => {
  test('registration creates a company with its owner and signs the owner in', async () => {
    const { token } = await api.must(null, register, { body: newcomer('first@romashka.test') });
    expect(await api.must(token, me)).toMatchObject({
      name: 'Иван',
      email: 'first@romashka.test',
      roles: [{ value: 'CREATOR' }],
      company: { companyName: 'ООО Ромашка', companySite: 'romashka.test' },
    });
  });

  test('only one of several concurrent registrations with the same email succeeds', async () => {
    const before = await companies();
    const replies = await Promise.all(
      ['race@romashka.test', 'RACE@romashka.test', 'Race@Romashka.test', ' race@romashka.test '].map(
        (email) => api.call(null, register, { body: newcomer(email) }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.error).toEqual({
      code: 'email_taken',
      message: 'Пользователь с такой почтой уже есть',
      fields: { email: 'Эта почта уже занята' },
    });
    expect(await companies()).toBe(before + 1);
  });

  test.each([
    ['name', 'ab', 'Не короче 3 символов'],
    ['companyName', 'abcd', 'Не короче 5 символов: допишите форму, например ООО «Ян»'],
    ['companySite', 'a.ru', 'Не короче 5 символов: допишите начало, например https://t.me'],
    ['email', 'ivan@romashka', 'Укажите почту, до @ латиницей: name@company.ru'],
    ['password', '1234567', 'Не короче 8 символов'],
    ['name', 'Ива\u0000н', 'Здесь есть недопустимые символы'],
    ['email', undefined, 'Заполните это поле'],
    ['password', 12345678, 'Проверьте это поле'],
  ])(
    'a registration with %s = %j is refused with an error that names the field',
    async (field, value, message) => {
      const body = { ...newcomer('bad@romashka.test'), [field]: value };
      const { status, error } = await api.call(null, register, { body });
      expect([status, error.code, error.fields]).toEqual([400, 'bad_input', { [field]: message }]);
    },
  );

  test('registration ignores undeclared fields such as roles', async () => {
    const body = { ...newcomer('mass@romashka.test'), roles: ['ADMIN'], company_id: 1, id: 999_999 };
    const { token } = await api.must(null, register, { body });
    const self = await api.must(token, me);
    expect(self.roles).toEqual([{ value: 'CREATOR' }]);
    expect(self.id).not.toBe(999_999);
  });
});

describe('signing in', () => {
  test('sign-in ignores the letter case of the email and answers an unknown email like a wrong password', async () => {
    const { email } = await api.company();
    expect(
      (await api.call(null, login, { body: { email: email.toUpperCase(), password: PASSWORD } })).status,
    ).toBe(200);
    const wrong = await api.call(null, login, { body: { email, password: 'wrong horse' } });
    const unknown = await api.call(null, login, {
      body: { email: 'nobody@company.test', password: PASSWORD },
    });
    expect([wrong.status, wrong.error]).toEqual([
      401,
      { code: 'bad_login', message: 'Неверная почта или пароль' },
    ]);
    expect([unknown.status, unknown.error]).toEqual([wrong.status, wrong.error]);
  });

  test('the Unicode and Punycode spellings of an email address belong to one account', async () => {
    const [unicode, punycode] = ['anna@почта.рф', 'anna@xn--80a1acny.xn--p1ai'];
    const { token } = await api.must(null, register, { body: newcomer(unicode) });
    const again = await api.call(null, register, { body: newcomer(punycode) });
    expect(again.error.code).toBe('email_taken');
    for (const email of [unicode, punycode, 'ANNA@XN--80A1ACNY.XN--P1AI']) {
      expect((await api.call(null, login, { body: { email, password: PASSWORD } })).status).toBe(200);
      const taken = await api.call(token, createUser, { body: { email, password: PASSWORD } });
      expect(taken.error.code).toBe('email_taken');
      const { rows } = await api.must(token, companyUsers, { query: { name: email } });
      expect(rows.map((user) => user.email)).toEqual([unicode]);
      expect((await api.call(null, useLink, { body: { email } })).status).toBe(204);
    }
    const links = await api.database.pool.query(
      'select count(distinct user_id)::int as users from mail_links',
    );
    expect(links.rows).toEqual([{ users: 1 }]);
    for (const name of ['почта.рф', '@Почта.рф', 'anna@почта', '80a1acny'])
      expect((await api.must(token, companyUsers, { query: { name } })).count, name).toBe(1);
    for (const name of ['другая.рф', 'почтa.рф'])
      expect((await api.must(token, companyUsers, { query: { name } })).count, name).toBe(0);
    const { rows } = await api.must(token, listAudit, { query: { name: 'почта.рф' } });
    expect(rows.map(({ actor, object }) => [actor.email, object.name])).toContainEqual([unicode, unicode]);
  });

  test('a logout ends only the current session', async () => {
    const { token, email } = await api.company();
    const other = (await api.must(null, login, { body: { email, password: PASSWORD } })).token;
    await api.must(token, logout);
    expect((await api.call(token, me)).status).toBe(401);
    expect((await api.call(other, me)).status).toBe(200);
  });

  test('a new password ends every session and gateway token of the user', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const epoch = () =>
      api.database.db
        .selectFrom('users')
        .select('gateway_epoch')
        .where('id', '=', agent.id)
        .executeTakeFirst();
    const before = await epoch();
    await api.must(owner.token, updateUser, {
      params: { id: agent.id },
      body: { password: 'another horse' },
    });
    expect((await api.call(agent.token, me)).status).toBe(401);
    expect((await epoch())?.gateway_epoch).toBe((before?.gateway_epoch ?? 0) + 1);
    const again = (password: string) => api.call(null, login, { body: { email: agent.email, password } });
    expect((await again(PASSWORD)).status).toBe(401);
    expect((await again('another horse')).status).toBe(200);
  });

  test('the database stores neither tokens nor passwords in plain text', async () => {
    const { token } = await api.company();
    const { rows } = await api.database.pool.query(
      'select s::text, u::text as who from sessions s join users u on u.id = user_id',
    );
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(PASSWORD);
    expect(stored).toContain('$argon2id$v=19$m=');
  });
});

test('the log contains no secret at its most verbose level', async () => {
  const lines: string[] = [];
  const loud = await startApi(inject('serverUrl'), { logTo: (line) => lines.push(line) });
  const { token, email } = await loud.company();
  const agent = await loud.agent(token);
  const proxy = { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-of-a-proxy' };
  await loud.must(token, createProxy, { body: proxy });
  const access = await loud.must(agent.token, myAccess);
  await loud.call(null, login, { body: { email, password: 'canary-of-a-guess' } });
  await loud.call(token, createUser, { body: { email, password: 'canary-of-a-double' } });
  await loud.database.shut();
  await loud.call(token, createProxy, { body: proxy });
  await loud.database.reopen();
  await loud.close();
  const log = lines.join('');
  expect(log).toContain('/api/users/user-inner');
  // The logged message depends on what detects the outage first: PostgreSQL, the pool or the operating system (EPIPE).
  expect(log).toMatch(/"level":50,[^\n]*"err":\{"type":"\w+","message":"[^"]+"/);
  for (const secret of [PASSWORD, token, agent.token, access.password, 'canary-of', '$argon2id$']) {
    expect(log).not.toContain(secret);
  }
});

describe('access checks', () => {
  test.each([[null], [''], ['x'], ['A'.repeat(43)], ['A'.repeat(600)]])(
    'a call with the token %j gets 401',
    async (token) => {
      expect(await api.call(token, me)).toMatchObject({ status: 401, error: { code: 'unauthorized' } });
    },
  );

  test('a call that the role may not make gets 403 before its body is parsed', async () => {
    const owner = await api.company();
    const agent = await api.agent(owner.token);
    const reply = await api.app.inject({
      method: 'POST',
      url: `/api${createUser.path}`,
      headers: { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' },
      payload: '{not json',
    });
    expect([reply.statusCode, reply.json()]).toEqual([
      403,
      { code: 'forbidden', message: 'Недостаточно прав для этого действия' },
    ]);
  });

  test('unknown paths, invalid JSON and oversized bodies get an error with a code and a message', async () => {
    const send = (url: string, payload: string, type = 'application/json') =>
      api.app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload });
    expect((await send('/api/nothing', '{}')).json()).toMatchObject({ code: 'no_such_call' });
    expect((await send('/api/auth/login', '{')).json()).toMatchObject({ code: 'bad_json' });
    expect((await send('/api/auth/login', 'a=b', 'text/plain')).json()).toMatchObject({
      code: 'bad_media_type',
    });
    for (const url of ['/api/%zz', `/api/users/${'1'.repeat(65)}`]) {
      const { json } = await api.app.inject({ url });
      expect(json(), url).toEqual({ code: expect.any(String), message: expect.stringMatching(/^[А-Я]/) });
    }
    const huge = await send('/api/auth/login', JSON.stringify({ email: 'a'.repeat(1024 * 1024) }));
    expect([huge.statusCode, huge.json().code]).toEqual([413, 'too_large']);
  });
});

async function companies(): Promise<number> {
  const { rows } = await api.database.pool.query('select count(*) as n from companies');
  return rows[0].n;
}
