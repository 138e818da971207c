import { login, useLink } from '@propusk/contract/auth';
import { openLink } from '@propusk/contract/invitations';
import { register } from '@propusk/contract/registration';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openDb } from '../db/open.ts';
import { addLink, addPasswordLink } from '../identity/link-store.ts';
import { ensureAdmin } from '../identity/store.ts';
import { makeAdminLink, makeFirstLinks } from './first-links.ts';

const config = { publicUrl: new URL('https://pass.example.ru'), registration: 'invited' } as const;
const who = { email: 'admin@example.ru', owner: 'owner@example.ru', again: false };

let api: TestApi;
let opened: ReturnType<typeof openDb>;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'), { settings: config });
  opened = openDb(api.database.url);
});
afterAll(async () => {
  await opened.close();
  await api.close();
});

const fragment = (link: string, name: string) =>
  new URLSearchParams(new URL(link).hash.slice(1)).get(name) ?? '';
const setPassword = (link: string, email?: string) =>
  api.call(null, useLink, {
    body: { token: fragment(link, 'token'), password: PASSWORD, ...(email && { email }) },
  });
const signIn = (email: string) => api.call(null, login, { body: { email, password: PASSWORD } });
const admins = async () => {
  const { rows } = await opened.pool.query(
    `select email::text, invited from users where roles @> array['ADMIN']`,
  );
  return rows;
};

/** This test must run before the tests that create an ADMIN with a password. */
test('the link that `propusk admin` prints creates the first ADMIN with the email typed on its page', async () => {
  const [first, second] = [
    await makeAdminLink(opened.db, config.publicUrl),
    await makeAdminLink(opened.db, config.publicUrl),
  ].map(String) as [string, string];
  const body = { token: fragment(first, 'token') };
  const opening = { email: '', invitedBy: null, name: 'Администратор', surname: '', firstAdmin: true };
  expect((await api.call(null, openLink, { body })).body).toEqual(opening);
  const { rows } = await opened.pool.query(
    `select round(extract(epoch from expires_at - now()) / 60)::int as minutes, token_hash from mail_links`,
  );
  expect(rows).toEqual(Array.from({ length: 2 }, () => ({ minutes: 60, token_hash: expect.any(Buffer) })));
  // The first ADMIN needs an email to sign in.
  expect((await setPassword(first)).error.code).toBe('bad_input');
  expect(await admins()).toEqual([{ email: 'admin@localhost', invited: true }]);
  const uses = await Promise.all(Array.from({ length: 20 }, () => setPassword(first, 'typed@example.ru')));
  expect(uses.filter(({ status }) => status === 204)).toHaveLength(1);
  expect((await setPassword(second, 'other@example.ru')).error.code).toBe('link_dead');
  expect(await admins()).toEqual([{ email: 'typed@example.ru', invited: false }]);
  expect((await signIn('typed@example.ru')).status).toBe(200);
  expect(await makeAdminLink(opened.db, config.publicUrl)).toBeNull();
  await opened.pool.query('delete from users');
});

test('a second run of setup or the password page can correct the email of the first ADMIN', async () => {
  const wrong = await makeFirstLinks(opened.db, config, { ...who, email: 'amdin@example.ru' });
  expect(wrong?.company).toContain('invitation=');
  const right = await makeFirstLinks(opened.db, config, who);
  expect(right?.company).toContain('invitation=');
  // The previous invitation stays valid, so no new invitation is created.
  const third = await makeFirstLinks(opened.db, config, who);
  expect(third).toEqual({ admin: expect.stringContaining('#token='), company: null });
  expect((await setPassword(wrong?.admin ?? '', 'late@example.ru')).error.code).toBe('link_dead');
  const body = { token: fragment(right?.admin ?? '', 'token') };
  expect((await api.call(null, openLink, { body })).body).toMatchObject({
    email: who.email,
    firstAdmin: true,
  });
  expect((await setPassword(right?.admin ?? '', 'mine@example.ru')).status).toBe(204);
  expect(await admins()).toEqual([{ email: 'mine@example.ru', invited: false }]);
  await opened.pool.query('delete from users');
});

test('a mailed link cannot set the password of the first ADMIN', async () => {
  await makeFirstLinks(opened.db, config, who);
  const mailed = await opened.db.transaction().execute((tx) => addPasswordLink(tx, who.email));
  expect(mailed.email).toBeNull();
  const body = { token: mailed.token, password: PASSWORD, email: 'stolen@example.ru' };
  expect((await api.call(null, useLink, { body })).error.code).toBe('link_dead');
  await opened.pool.query('delete from users');
});

test('concurrent attempts to create the first ADMIN create only one ADMIN', async () => {
  const links: string[] = [];
  for (let i = 0; i < 5; i++) {
    const made = await Promise.all([
      makeAdminLink(opened.db, config.publicUrl),
      makeFirstLinks(opened.db, config, { ...who, email: `admin${i}@example.ru` }),
      makeAdminLink(opened.db, config.publicUrl),
    ]);
    links.push(...made.flatMap((each) => (typeof each === 'string' ? [each] : [each?.admin ?? ''])));
  }
  await Promise.all([
    ensureAdmin(opened.db, 'set@example.ru', () => Promise.resolve('any')),
    ...links.map((link, i) => setPassword(link, `made${i}@example.ru`)),
  ]);
  expect(await admins()).toEqual([{ email: expect.any(String), invited: false }]);
  await opened.pool.query('delete from users; delete from rate_limits');
});

test('ADMIN_EMAIL sets the email of the first ADMIN and ends the setup link', async () => {
  const link = String(await makeAdminLink(opened.db, config.publicUrl));
  await ensureAdmin(opened.db, 'set@example.ru', () => Promise.resolve('any'));
  expect(await admins()).toEqual([{ email: 'set@example.ru', invited: false }]);
  expect((await setPassword(link, 'late@example.ru')).error.code).toBe('link_dead');
  await opened.pool.query('delete from users');
});

test('the setup link of the ADMIN and the setup link of the company each work once', async () => {
  const links = await makeFirstLinks(opened.db, config, who);
  const { rows } = await opened.pool.query(
    `select round(extract(epoch from expires_at - now()) / 60)::int as minutes, token_hash from mail_links`,
  );
  expect(rows).toEqual([{ minutes: 60, token_hash: expect.any(Buffer) }]);
  const [admin, company] = [links?.admin ?? '', links?.company ?? ''];
  expect((await setPassword(admin)).status).toBe(204);
  expect((await setPassword(admin)).error.code).toBe('link_dead');
  expect((await api.call(null, login, { body: { email: who.email, password: PASSWORD } })).status).toBe(200);
  const body = {
    ...{ name: 'Owner', companyName: 'Company', companySite: 'company.test', email: who.owner },
    ...{ password: PASSWORD, invitation: fragment(company, 'invitation') },
  };
  expect((await api.call(null, register, { body })).status).toBe(201);
  expect((await api.call(null, register, { body })).status).not.toBe(201);
});

test('a second run of setup creates no invitation for an owner who has an account', async () => {
  await makeFirstLinks(opened.db, config, { ...who, owner: 'none@example.ru', again: true });
  const links = await makeFirstLinks(opened.db, config, { ...who, again: true });
  expect(links).toEqual({ admin: expect.stringContaining('#token='), company: null });
});

test('once an ADMIN has a password, setup creates links only with the option `again`', async () => {
  await makeFirstLinks(opened.db, config, { ...who, owner: 'second@example.ru', again: true });
  expect(await makeFirstLinks(opened.db, config, { ...who, owner: 'third@example.ru' })).toBeNull();
  const other = { email: 'owner@example.ru', owner: 'third@example.ru', again: true };
  expect(await makeFirstLinks(opened.db, config, other)).toBeNull();
  const links = await makeFirstLinks(opened.db, config, { ...who, owner: 'third@example.ru', again: true });
  expect((await setPassword(links?.admin ?? '')).status).toBe(204);
});

test('a password link cannot set the email of any user except the first ADMIN', async () => {
  const { rows } = await opened.pool.query('select id from users where email = $1', [who.owner]);
  const { token } = await opened.db.transaction().execute((tx) => addLink(tx, Number(rows[0].id), null));
  const body = { token, password: PASSWORD, email: 'stolen@example.ru' };
  expect((await api.call(null, useLink, { body })).error.code).toBe('bad_input');
});
