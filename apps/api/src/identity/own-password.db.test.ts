import { changeOwnPassword, login, useLink } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

let addresses = 0;
const fresh = () => `10.4.0.${addresses++}`;

const signIn = (email: string, password: string) =>
  api.call(null, login, { body: { email, password }, from: fresh() });

async function account(email: string) {
  const { rows } = await api.database.pool.query(
    `select version, gateway_epoch as epoch, (select count(*) from sessions where user_id = users.id) as sessions,
      (select count(*) from mail_links where user_id = users.id) as links from users where email = $1`,
    [email],
  );
  return rows[0];
}

describe('users can change their own password', () => {
  const body = { currentPassword: PASSWORD, password: 'another horse' };

  test('a password change with the current password ends the other sessions, gateway tokens and links', async () => {
    const { token, email } = await api.company();
    const other = (await signIn(email, PASSWORD)).body.token;
    await api.must(null, useLink, { body: { email }, from: fresh() });
    await expect.poll(async () => (await account(email)).links).toBe(1);
    const before = await account(email);
    const reply = await api.call(token, changeOwnPassword, { body, from: fresh() });
    expect([reply.status, reply.body]).toEqual([204, undefined]);
    expect((await api.call(token, me)).status).toBe(200);
    expect((await api.call(other, me)).status).toBe(401);
    expect(await account(email)).toMatchObject({
      version: before.version + 1,
      epoch: before.epoch + 1,
      sessions: 1,
      links: 0,
    });
    expect((await signIn(email, PASSWORD)).status).toBe(401);
    expect((await signIn(email, 'another horse')).status).toBe(200);
  });

  test('a password change with a wrong current password is refused and changes nothing', async () => {
    const { token, email } = await api.company();
    const before = await account(email);
    for (const currentPassword of ['wrong horse', '', 'x'.repeat(200)]) {
      const reply = await api.call(token, changeOwnPassword, {
        body: { ...body, currentPassword },
        from: fresh(),
      });
      expect([reply.status, reply.error]).toEqual([
        400,
        {
          code: 'bad_input',
          message: 'Проверьте введённые данные',
          fields: { currentPassword: 'Неверный пароль' },
        },
      ]);
    }
    expect(await account(email)).toEqual(before);
  });

  test('exactly one of ten concurrent password changes succeeds', async () => {
    const { token, email } = await api.company();
    const passwords = Array.from({ length: 10 }, (_, i) => `horse number ${i}`);
    const replies = await Promise.all(
      passwords.map((password) =>
        api.call(token, changeOwnPassword, { body: { ...body, password }, from: fresh() }),
      ),
    );
    const won = replies.findIndex(({ status }) => status === 204);
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
    expect((await signIn(email, `horse number ${won}`)).status).toBe(200);
  });
});
