import { myAccess } from '@propusk/contract/access';
import { useLink } from '@propusk/contract/auth';
import { confirmCompany, getCompany } from '@propusk/contract/companies';
import { learnEgress } from '@propusk/contract/lock';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { checkSite } from '@propusk/contract/probe';
import { checkProxy, createProxy, listProxies } from '@propusk/contract/proxies';
import { inviteCompany, register, sendCompanyConfirmation } from '@propusk/contract/registration';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { whyHost } from '@propusk/contract/why';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readSnapshot } from '../feed/store.ts';

const publicUrl = new URL('https://pass.example.ru');
let inbox: Inbox;
let api: TestApi;
let admin: string;
beforeAll(async () => {
  inbox = await openInbox();
  const settings = { publicUrl, smtpUrl: inbox.url, registration: 'open', confirmsMail: true } as const;
  api = await startApi(inject('serverUrl'), { settings });
  admin = await createAdmin(api);
});
afterAll(async () => {
  await api.close();
  await inbox.close();
});

let serial = 0;
const fresh = () => `10.8.0.${++serial}`;
const names = { name: 'Компания', companyName: 'Компания', companySite: 'company.test' };

/** Registers a company and its owner. @returns the owner's session token and email address */
async function stranger(invitation?: string, email = `owner${++serial}@company.test`) {
  const body = { ...names, email, password: PASSWORD, ...(invitation !== undefined && { invitation }) };
  const { token } = await api.must(null, register, { body, from: fresh() });
  return { token, email };
}

/** Takes the next mail to an address. @returns the token and kind of its link */
async function linkTo(email: string): Promise<{ token: string; kind: string }> {
  const { text } = await inbox.take(email);
  const [, token = '', kind = ''] = /#token=([\w-]{43})&for=(\w+)/.exec(text) ?? [];
  return { token, kind };
}

const use = (body: { token?: string; email?: string; password?: string }) =>
  api.call(null, useLink, { body, from: fresh() });
const companyOf = async (token: string) => (await api.must(token, me)).company;
const confirmed = async (token: string) => (await companyOf(token))?.confirmed;

async function snapshotOf(token: string) {
  const log = api.app.log;
  const id = (await companyOf(token))?.id ?? 0;
  return readSnapshot({ db: api.database.db, encryption: testEncryption, log }, id);
}

/**
 * Adds a site to the company. Its policy gives the owner access through the shared egress.
 * @returns the site's id
 */
async function addSite(token: string, address: string): Promise<number> {
  const proxyId = (await api.must(token, listProxies)).rows.find(({ direct }) => direct)?.id ?? 0;
  const users = [(await api.must(token, me)).id];
  const policy = await api.must(token, createPolicy, { body: { name: 'Продажи', proxyId, users } });
  return (await api.must(token, createSite, { body: { address, politics: [policy.id] } })).id;
}

test('the mailed confirmation link confirms the company and works only once', async () => {
  const { token, email } = await stranger();
  expect(await confirmed(token)).toBe(false);
  const before = await snapshotOf(token);
  expect(before?.users).toEqual([]);
  const link = await linkTo(email);
  expect(link.kind).toBe('confirm');
  expect((await use({ token: link.token })).status).toBe(204);
  expect(await confirmed(token)).toBe(true);
  const after = await snapshotOf(token);
  expect(after?.users).toHaveLength(1);
  expect(after?.version).toBeGreaterThan(before?.version ?? 0);
  expect((await use({ token: link.token })).error.code).toBe('link_dead');
});

test('the owner can request another confirmation link until the company is confirmed', async () => {
  const { token, email } = await stranger();
  const first = await linkTo(email);
  await api.must(token, sendCompanyConfirmation);
  const second = await linkTo(email);
  expect(second.token).not.toBe(first.token);
  expect((await use({ token: first.token })).status).toBe(204);
  expect((await api.call(token, sendCompanyConfirmation)).error.code).toBe('already_confirmed');

  const other = await stranger();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => api.call(other.token, sendCompanyConfirmation)),
  );
  expect(replies.filter(({ status }) => status === 204).length).toBeLessThan(10);
  expect(replies.some(({ error }) => error?.code === 'too_many_requests')).toBe(true);
});

test('an owner who sets a new password by a mailed link confirms the company', async () => {
  const { token, email } = await stranger();
  const agent = `agent${++serial}@company.test`;
  await api.must(token, createUser, { body: { email: agent, password: PASSWORD } });
  expect((await use({ email: agent })).status).toBe(204);
  expect((await use({ token: (await linkTo(agent)).token, password: 'another horse' })).status).toBe(204);
  expect(await confirmed(token)).toBe(false);

  await linkTo(email);
  expect((await use({ email })).status).toBe(204);
  const reset = await linkTo(email);
  expect(reset.kind).toBe('password');
  expect((await use({ token: reset.token, password: 'another horse' })).status).toBe(204);
  const { rows } = await api.database.pool.query(
    'select confirmed from companies join users on company_id = companies.id where email = $1',
    [email],
  );
  expect(rows).toEqual([{ confirmed: true }]);
});

test('an invited company needs no confirmation', async () => {
  const email = `invited${++serial}@company.test`;
  const { link } = await api.must(admin, inviteCompany, { body: { email, currentPassword: PASSWORD } });
  const invitation = new URLSearchParams(new URL(link).hash.slice(1)).get('invitation') ?? '';
  const { token } = await stranger(invitation, email);
  expect(await confirmed(token)).toBe(true);
});

test('the api opens no connection on behalf of an unconfirmed company', async () => {
  const { token, email } = await stranger();
  const site = await addSite(token, 'dial.example.ru');
  const proxy = { host: 'proxy.example.ru', port: '3128', username: 'login', password: 'upstream secret' };
  const { id } = await api.must(token, createProxy, { body: proxy });
  const calls = () =>
    Promise.all([
      api.call(token, checkSite, { params: { id: site } }),
      api.call(token, learnEgress, { params: { id: site } }),
      api.call(token, checkProxy, { params: { id } }),
    ]);
  expect((await api.call(token, myAccess)).error.code).toBe('company_unconfirmed');
  expect((await calls()).map(({ error }) => error.code)).toEqual([
    'company_unconfirmed',
    'company_unconfirmed',
    'company_unconfirmed',
  ]);
  const { rows } = await api.database.pool.query(
    'select 1 from site_checks union all select 1 from proxy_learning',
  );
  expect(rows).toEqual([]);
  const why = await api.must(token, whyHost, { query: { host: 'dial.example.ru', port: 443 } });
  expect([why.allow, why.reason]).toEqual([false, 'company_unconfirmed']);

  await use({ token: (await linkTo(email)).token });
  expect((await api.call(token, checkSite, { params: { id: site } })).status).toBe(202);
  expect((await api.must(token, whyHost, { query: { host: 'dial.example.ru', port: 443 } })).allow).toBe(
    true,
  );
});

test('an unconfirmed company claims no host, even if it added the site first', async () => {
  const [squatter, holder] = [await stranger(), await stranger()];
  await use({ token: (await linkTo(holder.email)).token });
  await addSite(squatter.token, 'crm.claim.example.ru');
  await addSite(holder.token, 'crm.claim.example.ru');
  const claims = async () => {
    const [first, second] = [await snapshotOf(squatter.token), await snapshotOf(holder.token)];
    return [first?.sites[0]?.claim, second?.sites[0]?.claim] as const;
  };
  const [none, held] = await claims();
  expect(none).toBeNull();
  expect(held).toBeGreaterThan(0);
  await use({ token: (await linkTo(squatter.email)).token });
  const [late, still] = await claims();
  expect(still).toBe(held);
  expect(late).toBeGreaterThan(held ?? 0);
});

test('an ADMIN can confirm an unconfirmed company in place of its owner', async () => {
  const { token } = await stranger();
  const id = (await companyOf(token))?.id ?? 0;
  const listed = async () => (await api.must(admin, getCompany, { params: { id } })).confirmed;
  expect([await listed(), (await snapshotOf(token))?.users]).toEqual([false, []]);
  await api.must(admin, confirmCompany, { params: { id } });
  expect([await listed(), (await snapshotOf(token))?.users.length]).toEqual([true, 1]);
  expect((await api.call(admin, confirmCompany, { params: { id } })).status).toBe(409);
});
