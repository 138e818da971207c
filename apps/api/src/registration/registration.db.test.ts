import { login } from '@propusk/contract/auth';
import { createCompany, deleteCompany, listCompanies } from '@propusk/contract/companies';
import {
  inviteCompany,
  listInvitations,
  openInvitation,
  register,
  registrationMode,
  withdrawInvitation,
} from '@propusk/contract/registration';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { answered, PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { RegistrationRule } from '../config.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';

const publicUrl = new URL('https://pass.example.ru');
let inbox: Inbox;
beforeAll(async () => {
  inbox = await openInbox();
});
afterAll(() => inbox.close());

let addresses = 0;
const fresh = () => `10.7.${addresses >> 8}.${addresses++ & 255}`;

let api: TestApi;
let admin: string;
const start = async (registration: RegistrationRule) => {
  api = await startApi(inject('serverUrl'), { settings: { publicUrl, smtpUrl: inbox.url, registration } });
  admin = await createAdmin(api);
};
afterEach(() => api.close());

const names = { name: 'Компания', companyName: 'Компания', companySite: 'company.test' };
const apply = (email: string, invitation?: string) =>
  api.call(null, register, {
    body: { ...names, email, password: PASSWORD, ...(invitation !== undefined && { invitation }) },
    from: fresh(),
  });
const mode = async () => (await api.must(null, registrationMode)).mode;
const companies = async () => (await api.must(admin, listCompanies)).length;

/** Invites an email address. @returns the token of the invitation link */
async function invite(email: string): Promise<string> {
  const { link } = await api.must(admin, inviteCompany, {
    body: { email, currentPassword: PASSWORD },
    headers: {},
  });
  const url = new URL(link);
  expect(`${url.origin}${url.pathname}${url.search}`).toBe('https://pass.example.ru/auth/register');
  const fragment = new URLSearchParams(url.hash.slice(1));
  expect(fragment.get('email')).toBe(email);
  return fragment.get('invitation') ?? '';
}

test('an open platform refuses an invitation token that was issued to another email address', async () => {
  await start('open');
  expect((await apply('visitor@company.test', 'A'.repeat(43))).error.code).toBe('invitation_dead');
  const token = await invite('visitor@company.test');
  expect((await apply('other@company.test', token)).error.code).toBe('invitation_dead');
  expect((await apply('visitor@company.test', token)).status).toBe(201);
});

describe('REGISTRATION=closed', () => {
  beforeEach(() => start('closed'));

  test('a platform with closed registration refuses strangers and creates no invitations', async () => {
    expect(await mode()).toBe('closed');
    const refused = await apply('stranger@company.test');
    expect([refused.status, refused.error.code]).toEqual([403, 'registration_closed']);
    expect(refused.error.message).toContain('администратора этой платформы');
    expect(
      (await api.call(admin, inviteCompany, { body: { email: 'a@company.test', currentPassword: PASSWORD } }))
        .error.code,
    ).toBe('registration_closed');
    expect((await apply('a@company.test', 'A'.repeat(43))).error.code).toBe('registration_closed');
    expect(await companies()).toBe(0);
  });

  test('a closed platform refuses an invitation that was sent before it closed', async () => {
    await api.close();
    await start('invited');
    const token = await invite('early@company.test');
    const closed = await startApi(inject('serverUrl'), {
      shared: api.database,
      settings: { registration: 'closed' },
    });
    const body = { ...names, email: 'early@company.test', password: PASSWORD, invitation: token };
    expect((await closed.call(null, register, { body })).error.code).toBe('registration_closed');
    await closed.close();
    expect(await companies()).toBe(0);
  });
});

describe('REGISTRATION=invited', () => {
  beforeEach(() => start('invited'));

  test('the link of an invitation registers one company and then stops working', async () => {
    expect(await mode()).toBe('invited');
    expect((await apply('guest@company.test')).error.code).toBe('registration_closed');
    const token = await invite('guest@company.test');
    const mail = await inbox.take('guest@company.test');
    expect(mail.text).toContain(`invitation=${token}`);
    expect(mail.html).toContain('email=guest%40company.test');

    expect((await apply('other@company.test', token)).error.code).toBe('invitation_dead');
    expect((await apply('guest@company.test', 'A'.repeat(43))).error.code).toBe('invitation_dead');
    expect((await apply('GUEST@company.test', token)).status).toBe(201);
    expect((await apply('guest@company.test', token)).error.code).toBe('invitation_dead');
    expect(await companies()).toBe(1);
    expect(
      (await api.must(null, login, { body: { email: 'guest@company.test', password: PASSWORD } })).token,
    ).toBeTruthy();
  });

  test('50 concurrent registrations with one invitation link create one company', async () => {
    const token = await invite('guest@company.test');
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => answered(() => apply('guest@company.test', token))),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(await companies()).toBe(1);
  });

  test('a second invitation of an email address replaces the first invitation', async () => {
    const [first, second] = [await invite('guest@company.test'), await invite('guest@company.test')];
    expect((await apply('guest@company.test', first)).error.code).toBe('invitation_dead');
    await api.database.pool.query(`update company_invitations set expires_at = now() - interval '1 second'`);
    expect((await apply('guest@company.test', second)).error.code).toBe('invitation_dead');
    expect(await companies()).toBe(0);
  });

  test('the list and the link of an invitation show its state: used, withdrawn or expired', async () => {
    const listed = async () =>
      (await api.must(admin, listInvitations, { query: { order: 'ASC' } })).rows.map(
        ({ email, madeBy, state }) => ({
          email,
          madeBy,
          state,
        }),
      );
    const stateOf = async (token: string) =>
      (await api.must(null, openInvitation, { body: { token } })).state;
    const [used, gone, late] = [
      await invite('used@company.test'),
      await invite('gone@company.test'),
      await invite('late@company.test'),
    ];
    expect((await apply('used@company.test', used)).status).toBe(201);
    const { rows } = await api.must(admin, listInvitations, { query: { name: 'gone' } });
    const params = { id: rows[0]?.id ?? 0 };
    await api.must(admin, withdrawInvitation, { params });
    expect((await api.call(admin, withdrawInvitation, { params })).error.code).toBe('not_found');
    await api.database.pool.query(
      `update company_invitations set expires_at = now() - interval '1 second' where email = 'late@company.test'`,
    );
    const madeBy = 'admin@platform.test';
    expect(await listed()).toEqual([
      { email: 'used@company.test', madeBy, state: 'used' },
      { email: 'gone@company.test', madeBy, state: 'withdrawn' },
      { email: 'late@company.test', madeBy, state: 'expired' },
    ]);
    expect([await stateOf(used), await stateOf(gone), await stateOf(late)]).toEqual([
      'used',
      'withdrawn',
      'expired',
    ]);
    expect((await apply('gone@company.test', gone)).error.code).toBe('invitation_dead');
    // A new invitation has a new token, and the old link stays invalid.
    const again = await invite('gone@company.test');
    expect((await api.call(null, openInvitation, { body: { token: gone } })).error.code).toBe(
      'invitation_dead',
    );
    expect(await stateOf(again)).toBe('waiting');
    expect((await apply('gone@company.test', again)).status).toBe(201);
    const audit = await api.database.pool.query(
      "select object_name as name from audit where action = 'invitation_withdrawn'",
    );
    expect(audit.rows).toEqual([{ name: 'gone@company.test' }]);
  });

  test('the database stores no token of an invitation', async () => {
    const token = await invite('guest@company.test');
    const { rows } = await api.database.pool.query('select i::text as row from company_invitations i');
    expect(rows).toHaveLength(1);
    expect(rows[0].row).not.toContain(token);
    const taken = await api.call(admin, inviteCompany, {
      body: { email: 'admin@platform.test', currentPassword: PASSWORD },
    });
    expect(taken.error.code).toBe('email_taken');
  });
});

describe('REGISTRATION=first admits at most one company without an invitation', () => {
  beforeEach(() => start('first'));

  test('once the first company has registered, only an invitation permits another registration', async () => {
    expect(await mode()).toBe('open');
    expect((await apply('first@company.test')).status).toBe(201);
    expect(await mode()).toBe('invited');
    expect((await apply('second@company.test')).error.code).toBe('registration_closed');
    const token = await invite('second@company.test');
    expect((await apply('second@company.test', token)).status).toBe(201);
    expect(await companies()).toBe(2);
  });

  test('once an ADMIN has created a company, registration without an invitation is refused', async () => {
    const { id } = await api.must(admin, createCompany, { body: { companySite: 'company.test' } });
    expect((await apply('first@company.test')).error.code).toBe('registration_closed');
    await api.must(admin, deleteCompany, { params: { id }, body: { currentPassword: PASSWORD } });
    expect(await mode()).toBe('open');
  });

  test('the first registration does not wait for the maintenance of record partitions', async () => {
    const client = await api.database.pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [advisoryLocks.recordPartitions]);
    expect((await apply('first@company.test')).status).toBe(201);
    await client.query('rollback');
    client.release();
  });

  test('50 concurrent registrations on a platform without companies create one company', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => answered(() => apply(`n${n}@company.test`))),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = replies.filter(({ error }) => error?.code === 'registration_closed');
    expect(refused).toHaveLength(49);
    expect(await companies()).toBe(1);
  });
});

test('REGISTRATION=open lets any number of companies register', async () => {
  await start('open');
  expect(await mode()).toBe('open');
  for (const email of ['first@company.test', 'second@company.test'])
    expect((await apply(email)).status).toBe(201);
  expect(await companies()).toBe(2);
});
