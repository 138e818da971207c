import { listAudit } from '@propusk/contract/audit';
import { login, useLink } from '@propusk/contract/auth';
import { inviteManyAgain } from '@propusk/contract/bulk';
import { myCompany, updateMyCompany } from '@propusk/contract/companies';
import { inviteAgain, inviteUsers, openLink } from '@propusk/contract/invitations';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { changeRole } from '@propusk/contract/role-changes';
import { createSite } from '@propusk/contract/sites';
import { companyUsers, deleteUser, getUser, updateUser } from '@propusk/contract/users';
import { whySite } from '@propusk/contract/why';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readSnapshot } from '../feed/store.ts';

let inbox: Inbox;
let api: TestApi;
beforeAll(async () => {
  inbox = await openInbox();
  api = await startApi(inject('serverUrl'), { settings: { smtpUrl: inbox.url } });
});
afterAll(async () => {
  await api.close();
  await inbox.close();
});

let serial = 0;
const fresh = () => `10.6.${serial >> 8}.${serial++ & 255}`;
const address = () => `invited${serial++}@company.test`;
const invite = (token: string, emails: string[], politics: number[] = []) =>
  api.call(token, inviteUsers, { body: { emails, politics } });
const tokenOf = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
const accept = (token: string, password = PASSWORD) =>
  api.call(null, useLink, { body: { token, password }, from: fresh() });
const open = (token: string) => api.call(null, openLink, { body: { token }, from: fresh() });
const signIn = (email: string) =>
  api.call(null, login, { body: { email, password: PASSWORD }, from: fresh() });

/** Invites one agent. @returns the email, the id and the token of the link */
async function invited(owner: string, politics: number[] = []) {
  const email = address();
  const made = await invite(owner, [email], politics);
  expect(made.status).toBe(200);
  const { rows } = await api.must(owner, companyUsers, {});
  const id = rows.find((user) => user.email === email)?.id ?? 0;
  return { email, id, token: tokenOf(made.body.invitations[0]?.link ?? '') };
}

/** The ids of the users whom gateways admit. */
async function usersIn(companyId: number): Promise<number[]> {
  const source = { db: api.database.db, encryption: testEncryption, log: api.app.log };
  return ((await readSnapshot(source, companyId))?.users ?? []).map(({ id }) => id);
}

test('an invited agent can reach sites only after setting a password by the mailed link', async () => {
  const owner = await api.company();
  const site = await api.must(owner.token, createSite, { body: { address: 'crm.invited.test' } });
  const policy = await api.must(owner.token, createPolicy, {
    body: { name: 'Продажи', proxyId: 1, sites: [site.id] },
  });
  const emails = [address(), address()];
  const made = await invite(owner.token, [...emails, (emails[0] ?? '').toUpperCase()], [policy.id]);
  expect(made).toMatchObject({ status: 200, body: { mailed: true } });
  expect(made.body.invitations.map(({ email }) => email)).toEqual(emails);
  const { rows } = await api.must(owner.token, companyUsers, {});
  const [first, second] = emails.map((email) => rows.find((user) => user.email === email));
  expect([first, second]).toMatchObject(
    [1, 2].map(() => ({
      roles: [{ value: 'USER' }],
      politics: [{ id: policy.id }],
      invitation: { expiresAt: made.body.expiresAt },
    })),
  );

  const mail = await inbox.take(emails[0] ?? '');
  const link = /https?:\/\/\S+#\S+/.exec(mail.text)?.[0] ?? '';
  expect(link).toBe(made.body.invitations[0]?.link);
  const { company } = await api.must(owner.token, me);
  expect(await usersIn(company?.id ?? 0)).not.toContain(first?.id);
  expect((await signIn(emails[0] ?? '')).status).toBe(401);
  const why = await api.must(owner.token, whySite, {
    params: { id: site.id },
    query: { user: first?.id ?? 0 },
  });
  expect(why).toMatchObject({ allow: false, reason: 'invitation_pending' });

  // The call `openLink` does not use up the invitation link.
  const account = { email: emails[0], invitedBy: company?.companyName, firstAdmin: false };
  const names = { name: '', surname: '' };
  for (let reads = 0; reads < 2; reads++)
    expect((await open(tokenOf(link))).body).toEqual({ ...account, ...names });
  expect((await accept(tokenOf(link))).status).toBe(204);
  expect((await signIn(emails[0] ?? '')).status).toBe(200);
  expect(await usersIn(company?.id ?? 0)).toContain(first?.id);
  expect(await usersIn(company?.id ?? 0)).not.toContain(second?.id);
  const after = await api.must(owner.token, companyUsers, {});
  expect(after.rows.find(({ id }) => id === first?.id)?.invitation).toBeNull();
  for (const use of [open, accept]) expect((await use(tokenOf(link))).error.code).toBe('link_dead');
});

test('an agent can set a name by the invitation link, but not by a link for a forgotten password', async () => {
  const owner = await api.company();
  const { id, email, token } = await invited(owner.token);
  await inbox.take(email);
  const params = { id };
  await api.must(owner.token, updateUser, { params, body: { name: 'Аня', surname: 'Петрова' } });
  expect((await open(token)).body).toMatchObject({ name: 'Аня', surname: 'Петрова' });
  const use = (body: object) =>
    api.call(null, useLink, { body: { password: PASSWORD, name: 'Анна', ...body }, from: fresh() });
  expect((await use({ token, password: undefined })).status).toBe(400);
  expect((await use({ token })).status).toBe(204);
  expect(await api.must(owner.token, getUser, { params })).toMatchObject({
    name: 'Анна',
    surname: 'Петрова',
    invitation: null,
  });
  const { rows } = await api.must(owner.token, listAudit, { query: { name: email } });
  expect(rows.find(({ action }) => action === 'password_reset')?.changes).toMatchObject({
    name: { from: 'Аня', to: 'Анна' },
  });
  await api.call(null, useLink, { body: { email }, from: fresh() });
  const forgotten = tokenOf(/https?:\/\/\S+#\S+/.exec((await inbox.take(email)).text)?.[0] ?? '');
  expect((await open(forgotten)).body).toMatchObject({ invitedBy: null });
  expect((await use({ token: forgotten })).error.code).toBe('bad_input');
  expect((await accept(forgotten)).status).toBe(204);
});

test('inviting an agent again replaces the link of the first invitation', async () => {
  const owner = await api.company();
  const { id, email, token } = await invited(owner.token);
  const again = await api.must(owner.token, inviteAgain, { params: { id } });
  expect((await open(token)).error.code).toBe('link_dead');
  const newest = tokenOf(again.invitations[0]?.link ?? '');
  expect((await accept(newest)).status).toBe(204);
  const refused = await api.call(owner.token, inviteAgain, { params: { id } });
  expect([refused.status, refused.error.code]).toEqual([409, 'already_joined']);
  const { rows } = await api.must(owner.token, listAudit, { query: { name: email } });
  expect(rows.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['created', 'invited_again', 'password_reset']),
  );
});

test('an invitation ends when the owner who made it loses the role', async () => {
  const owner = await api.company();
  const { id: colleagueId } = await api.agent(owner.token);
  const promoted = (role: 'USER' | 'CREATOR') =>
    api.must(owner.token, changeRole, {
      params: { id: colleagueId },
      body: { role, currentPassword: PASSWORD },
    });
  const { email } = await promoted('CREATOR');
  const colleague = (await signIn(email)).body.token;
  const { id, token } = await invited(colleague);
  await promoted('USER');
  expect((await open(token)).error.code).toBe('link_dead');
  expect((await accept(token)).error.code).toBe('link_dead');
  const { rows } = await api.must(owner.token, companyUsers, {});
  expect(rows.find((user) => user.id === id)?.invitation).toEqual({ expiresAt: null });
  const again = await api.must(owner.token, inviteAgain, { params: { id } });
  expect((await accept(tokenOf(again.invitations[0]?.link ?? ''))).status).toBe(204);
});

test('an invitation link ends when an owner deletes the agent or changes the agent’s email or password', async () => {
  const owner = await api.company();
  const withdrawn = await invited(owner.token);
  await api.must(owner.token, deleteUser, { params: { id: withdrawn.id } });
  const expired = await invited(owner.token);
  await api.database.pool.query(
    `update mail_links set expires_at = now() - interval '1 second' where user_id = $1`,
    [expired.id],
  );
  const moved = await invited(owner.token);
  await api.must(owner.token, updateUser, { params: { id: moved.id }, body: { email: address() } });
  const set = await invited(owner.token);
  await api.must(owner.token, updateUser, { params: { id: set.id }, body: { password: PASSWORD } });
  for (const { token } of [withdrawn, expired, moved, set]) {
    expect((await open(token)).error.code).toBe('link_dead');
    expect((await accept(token)).error.code).toBe('link_dead');
  }
});

test('a list of invitations is refused when one of its addresses has an account', async () => {
  const owner = await api.company();
  const other = await api.company();
  const email = address();
  const refused = await invite(owner.token, [email, other.email]);
  expect([refused.status, refused.error.code]).toEqual([409, 'email_taken']);
  expect(refused.error.fields).toEqual({ emails: `Уже есть в «Пропуске»: ${other.email}` });
  const { rows } = await api.must(owner.token, companyUsers, {});
  expect(rows.some((user) => user.email === email)).toBe(false);
});

test('a company may invite 500 agents a day, and one mailbox gets at most 5 invitations an hour', async () => {
  const owner = await api.company();
  const { id } = await invited(owner.token);
  const tries = [];
  for (let n = 0; n < 6; n++)
    tries.push((await api.call(owner.token, inviteAgain, { params: { id } })).status);
  expect(tries).toEqual([200, 200, 200, 200, 429, 429]);
  // A list that is refused for too many invitations to one mailbox does not count towards the company's daily limit.
  const { email } = await api.must(owner.token, getUser, { params: { id } });
  expect((await invite(owner.token, [...Array.from({ length: 49 }, address), email])).status).toBe(429);
  const { company } = await api.must(owner.token, me);
  const ofDay = `invitation:${company?.id}:%`;
  const { rows } = await api.database.pool.query('select points from rate_limits where key like $1', [ofDay]);
  expect(rows).toEqual([{ points: 5 }]);
  await api.database.pool.query('update rate_limits set points = 460 where key like $1', [ofDay]);
  const some = (n: number) => Array.from({ length: n }, address);
  expect((await invite(owner.token, some(41))).status).toBe(429);
  expect((await invite(owner.token, some(40))).status).toBe(200);
  expect((await invite(owner.token, some(1))).status).toBe(429);
});

test('an unconfirmed company cannot invite agents', async () => {
  const owner = await api.company();
  const { id } = await invited(owner.token);
  const { company } = await api.must(owner.token, me);
  await api.database.pool.query('update companies set confirmed = false where id = $1', [company?.id]);
  const tries = [
    await invite(owner.token, [address()]),
    await api.call(owner.token, inviteAgain, { params: { id } }),
  ];
  for (const { status, error } of tries) expect([status, error.code]).toEqual([403, 'company_unconfirmed']);
});

test('an invited agent who was made an owner gets no new invitation link', async () => {
  const owner = await api.company();
  const { id } = await invited(owner.token);
  await api.must(owner.token, changeRole, {
    params: { id },
    body: { role: 'CREATOR', currentPassword: PASSWORD },
  });
  const again = await api.call(owner.token, inviteAgain, { params: { id } });
  expect([again.status, again.error.code]).toEqual([403, 'protected_user']);
  const admin = await createAdmin(api);
  const self = await api.must(owner.token, me);
  const dropped = await api.call(admin, changeRole, {
    params: { id: self.id },
    body: { role: 'USER', currentPassword: PASSWORD },
  });
  expect([dropped.status, dropped.error.code]).toEqual([409, 'last_owner']);
});

test('a list of invitations that is refused for an existing account counts towards the daily limit', async () => {
  const owner = await api.company();
  const other = await api.company();
  const { company } = await api.must(owner.token, me);
  const guesses = () => [...Array.from({ length: 49 }, address), other.email];
  expect((await invite(owner.token, guesses())).status).toBe(409);
  const { rows } = await api.database.pool.query(`select points from rate_limits where key like $1`, [
    `invitation:${company?.id}:%`,
  ]);
  expect(rows).toEqual([{ points: 50 }]);
});

test('an invitation is refused if the owner’s session ends while the call waits for a lock', async () => {
  const owner = await api.company();
  const { company, id } = await api.must(owner.token, me);
  const client = await api.database.pool.connect();
  await client.query('begin');
  await client.query('select id from companies where id = $1 for update', [company?.id]);
  const email = address();
  const waiting = invite(owner.token, [email]);
  await expect
    .poll(
      async () =>
        (
          await api.database.pool.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
        ).rowCount,
    )
    .toBe(1);
  await client.query('delete from sessions where user_id = $1', [id]);
  await client.query('commit');
  client.release();
  expect((await waiting).status).toBe(401);
  expect((await api.database.pool.query('select 1 from users where email = $1', [email])).rowCount).toBe(0);
});

test('control characters in a stored company name are escaped in replies and mails', async () => {
  const owner = await api.company();
  const { companyName: _, ...before } = await api.must(owner.token, myCompany);
  const stored = 'Зло\u202e\u009b31m';
  await api.database.pool.query('update companies set company_name = $1 where id = $2', [stored, before.id]);
  const email = address();
  await invite(owner.token, [email]);
  const mail = await inbox.take(email);
  expect(mail.subject).toContain('Зло\\u202e\\u009b31m');
  expect(mail.text).toContain('Зло\\u202e\\u009b31m');
  const { companyName } = await api.must(owner.token, myCompany);
  expect(companyName).toBe('Зло\\u202e\\u009b31m');
  const companySite = 'new.company.test';
  for (const body of [{ companySite }, { companyName, companySite }])
    expect(await api.must(owner.token, updateMyCompany, { body })).toMatchObject({
      companyName,
      companySite,
    });
  const { rows } = await api.database.pool.query('select company_name from companies where id = $1', [
    before.id,
  ]);
  expect(rows).toEqual([{ company_name: stored }]);
  const agent = await api.agent(owner.token);
  await api.database.pool.query('update users set name = $1 where id = $2', [stored, agent.id]);
  const params = { id: agent.id };
  const user = { name: companyName, surname: 'Новая' };
  expect(await api.must(owner.token, updateUser, { params, body: user })).toMatchObject(user);
  const names = 'select name from users where id = $1';
  expect((await api.database.pool.query(names, [agent.id])).rows).toEqual([{ name: stored }]);
  const again = await api.call(owner.token, updateMyCompany, { body: { companyName: stored } });
  expect([again.status, again.error.fields]).toEqual([
    400,
    { companyName: 'Здесь есть недопустимые символы' },
  ]);
});

test('a bulk invitation replaces the links of invited agents, and names each other user with the reason', async () => {
  const owner = await api.company();
  const { id: self } = await api.must(owner.token, me);
  const [first, second, joined] = [
    await invited(owner.token),
    await invited(owner.token),
    await invited(owner.token),
  ];
  await accept(joined.token);
  const ids = [first.id, self, joined.id, 999_999, second.id];
  const made = await api.must(owner.token, inviteManyAgain, { body: { ids } });
  expect(made.invitations.map(({ email }) => email)).toEqual([first.email, second.email]);
  expect(made.refused).toEqual([
    {
      id: self,
      code: 'already_joined',
      message: 'Этот пользователь уже задал пароль: приглашать его больше не нужно',
    },
    { id: joined.id, code: 'already_joined', message: expect.any(String) },
    { id: 999_999, code: 'not_found', message: 'Не найдено: возможно, уже удалено' },
  ]);
  expect((await accept(first.token)).error.code).toBe('link_dead');
  const links = made.invitations.map(({ link }) => tokenOf(link));
  expect((await accept(links[0] ?? '')).status).toBe(204);
  await inbox.take(second.email);
  expect((await inbox.take(second.email)).text).toContain(links[1] ?? 'no link');
  const { rows } = await api.must(owner.token, listAudit, { query: { action: 'invited_again' } });
  expect(rows.map(({ object }) => object.name).toSorted()).toEqual([first.email, second.email].toSorted());
});

test('a bulk invitation beyond the limit of a mailbox or of the day refuses these rows alone', async () => {
  const owner = await api.company();
  const [first, second, third] = [
    await invited(owner.token),
    await invited(owner.token),
    await invited(owner.token),
  ];
  const again = (...ids: number[]) => api.must(owner.token, inviteManyAgain, { body: { ids } });
  for (let n = 0; n < 4; n++) expect((await again(first.id)).refused).toEqual([]);
  const spent = await again(first.id, second.id);
  expect(spent.invitations.map(({ email }) => email)).toEqual([second.email]);
  expect(spent.refused).toMatchObject([{ id: first.id, code: 'too_many_requests' }]);
  const { company } = await api.must(owner.token, me);
  await api.database.pool.query(`update rate_limits set points = 499 where key like $1`, [
    `invitation:${company?.id}:%`,
  ]);
  const last = await again(second.id, third.id);
  expect(last.invitations.map(({ email }) => email)).toEqual([second.email]);
  expect(last.refused).toMatchObject([{ id: third.id, code: 'too_many_requests' }]);
  const refused = await api.call(owner.token, inviteAgain, { params: { id: third.id } });
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
});

test('while invitations of a company wait for a lock, other companies are served', async () => {
  const [owner, other] = [await api.company(), await api.company()];
  const { company } = await api.must(owner.token, me);
  const colleagues = await Promise.all([0, 1, 2].map(() => api.agent(owner.token)));
  const ids = colleagues.map(({ id }) => id);
  await api.database.pool.query("update users set roles = '{CREATOR}' where id = any($1)", [ids]);
  const client = api.database.client();
  await client.connect();
  await client.query('begin');
  await client.query('select from companies where id = $1 for update', [company?.id]);
  const waiting = colleagues.flatMap(({ token }) =>
    Array.from({ length: 8 }, () => invite(token, [address()])),
  );
  const locked = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(async () => (await api.database.pool.query(locked)).rowCount).toBeGreaterThan(1);
  const body = { address: 'served.example.ru' };
  expect((await api.call(other.token, createSite, { body })).status).toBe(201);
  await client.query('commit');
  await client.end();
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(24).fill(200));
});
