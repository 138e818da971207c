import { myAccess } from '@propusk/contract/access';
import { login } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { createPolicy, getPolicy, listPolicies, updatePolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { recordSettings, setRecordSettings } from '@propusk/contract/record-settings';
import { changeRole, suspendUser } from '@propusk/contract/role-changes';
import { createSite } from '@propusk/contract/sites';
import { companyUsers, getUser, updateUser } from '@propusk/contract/users';
import { whySite } from '@propusk/contract/why';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { type Inbox, openInbox } from '@propusk/test-kit/api/inbox';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { startLifting } from '../users/suspension-store.ts';
import { startEndDigest } from './end-digest.ts';

let api: TestApi;
let inbox: Inbox;
beforeAll(async () => {
  inbox = await openInbox();
  api = await startApi(inject('serverUrl'), { settings: { smtpUrl: inbox.url } });
});
afterAll(async () => {
  await api.close();
  await inbox.close();
});

/** A company with an agent, a site, and a policy that contains both. */
async function world(times: object = {}) {
  const owner = await api.company();
  const agent = await api.agent(owner.token);
  const site = await api.must(owner.token, createSite, { body: { address: `t${agent.id}.example.ru` } });
  const [{ id: proxyId } = { id: 0 }] = (await api.must(owner.token, listProxies)).rows;
  const body = { name: 'Office', proxyId, users: [agent.id], sites: [site.id], ...times };
  const policy = await api.must(owner.token, createPolicy, { body });
  return { owner, agent, site, policy };
}

/** The rights as an api of the previous release reads them. */
async function rightsOfOldApi(userId: number): Promise<number> {
  const { rows } = await api.database.pool.query('select from policy_users where user_id = $1', [userId]);
  return rows.length;
}

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

describe('the times of a policy', () => {
  test('a policy with times is stored, and an api of the previous release finds no member in it', async () => {
    const until = inHours(24);
    const { owner, agent, policy } = await world({
      validUntil: until,
      windows: [[540, 1080]],
      zone: 'Asia/Tokyo',
    });
    expect(policy).toMatchObject({
      validFrom: null,
      validUntil: until,
      windows: [[540, 1080]],
      zone: 'Asia/Tokyo',
      timeZone: 'Asia/Tokyo',
    });
    expect(policy.users).toEqual([{ id: agent.id, name: expect.any(String), until: null }]);
    expect(await rightsOfOldApi(agent.id)).toBe(0);
    // Without times, the membership is an ordinary one again.
    const free = await api.must(owner.token, updatePolicy, {
      params: { id: policy.id },
      body: { validUntil: '', windows: [] },
    });
    expect(free).toMatchObject({ open: true, changesAt: null, users: [{ id: agent.id, until: null }] });
    expect(await rightsOfOldApi(agent.id)).toBe(1);
  });

  test('a change without time fields changes no time and no end', async () => {
    const { owner, agent, policy } = await world({
      validFrom: '2026-01-01',
      validUntil: '2030-01-01',
      windows: [[0, 60]],
    });
    const params = { id: policy.id };
    const ended = await api.must(owner.token, updatePolicy, {
      params,
      body: { ends: [{ id: agent.id, until: '2029-01-01' }] },
    });
    const kept = ({ validFrom, validUntil, windows, zone, users }: typeof policy) => ({
      validFrom,
      validUntil,
      windows,
      zone,
      users,
    });
    await api.must(owner.token, updatePolicy, { params, body: { name: 'Renamed' } });
    await api.must(owner.token, updatePolicy, { params, body: { users: [agent.id] } });
    await api.must(owner.token, updateUser, {
      params: { id: agent.id },
      body: { politics: [policy.id], name: 'Anna' },
    });
    const after = await api.must(owner.token, getPolicy, { params });
    expect({ ...kept(after), users: after.users.map(({ until }) => until) }).toEqual({
      ...kept(ended),
      users: ended.users.map(({ until }) => until),
    });
  });

  test('a day means its start or its end in the time zone of the policy or of the company', async () => {
    const { owner, policy, agent } = await world({
      validFrom: '2027-03-28',
      validUntil: '2027-03-28',
      zone: 'Europe/Berlin',
    });
    expect(policy).toMatchObject({
      validFrom: '2027-03-27T23:00:00.000Z',
      validUntil: '2027-03-28T22:00:00.000Z',
    });
    const moscow = await api.must(owner.token, updatePolicy, {
      params: { id: policy.id },
      body: { zone: '', validUntil: '2027-03-28', ends: [{ id: agent.id, until: '2027-03-01' }] },
    });
    expect(moscow).toMatchObject({
      validFrom: '2027-03-27T23:00:00.000Z',
      validUntil: '2027-03-28T21:00:00.000Z',
      timeZone: 'Europe/Moscow',
    });
    expect(moscow.users[0]?.until).toBe('2027-03-01T21:00:00.000Z');
    const settings = await api.must(owner.token, recordSettings);
    const { addresses, keepNames } = settings;
    await api.must(owner.token, setRecordSettings, {
      body: { addresses, keepNames, timeZone: 'Asia/Tokyo' },
    });
    const tokyo = await api.must(owner.token, getPolicy, { params: { id: policy.id } });
    expect(tokyo).toMatchObject({ timeZone: 'Asia/Tokyo', validUntil: '2027-03-28T21:00:00.000Z' });
  });

  test.each([
    { windows: [[60, 60]] },
    { windows: [[60]] },
    { windows: [[60, 90, 120]] },
    { windows: [[10_080, 10_081]] },
    { zone: 'Mars/Base' },
    { validUntil: 'tomorrow' },
    { validUntil: '2027-02-30' },
    { validFrom: '12027-02-01' },
  ])('a policy with %j gets 400 and nothing changes', async (times) => {
    const { owner, policy } = await world();
    const params = { id: policy.id };
    const { status, error } = await api.call(owner.token, updatePolicy, { params, body: times as never });
    expect([status, Object.keys(error.fields ?? {})[0]?.split('.')[0]]).toEqual([400, Object.keys(times)[0]]);
    expect(await api.must(owner.token, getPolicy, { params })).toEqual(policy);
  });
});

describe('the end of a membership', () => {
  test('is set from the policy and from the user, and removed by null', async () => {
    const { owner, agent, policy } = await world();
    const until = inHours(1);
    await api.must(owner.token, updateUser, {
      params: { id: agent.id },
      body: { ends: [{ id: policy.id, until }] },
    });
    expect((await api.must(owner.token, getPolicy, { params: { id: policy.id } })).users).toEqual([
      expect.objectContaining({ id: agent.id, until }),
    ]);
    expect((await api.must(owner.token, getUser, { params: { id: agent.id } })).politics).toEqual([
      { id: policy.id, name: 'Office', until },
    ]);
    expect(await rightsOfOldApi(agent.id)).toBe(0);
    await api.must(owner.token, updatePolicy, {
      params: { id: policy.id },
      body: { ends: [{ id: agent.id, until: '' }] },
    });
    expect((await api.must(owner.token, getUser, { params: { id: agent.id } })).politics).toEqual([
      { id: policy.id, name: 'Office', until: null },
    ]);
    expect(await rightsOfOldApi(agent.id)).toBe(1);
  });

  test('an end of a user who is no member gets 400', async () => {
    const { owner, policy } = await world();
    const other = await api.agent(owner.token);
    const body = { ends: [{ id: other.id, until: inHours(1) }] };
    const { status, error } = await api.call(owner.token, updatePolicy, { params: { id: policy.id }, body });
    expect([status, Object.keys(error.fields ?? {})]).toEqual([400, ['ends.0.id']]);
  });

  test('ended and ending rights are found by the filter', async () => {
    const { owner, agent, policy } = await world();
    const found = async (ends: 'week' | 'month' | 'past') => [
      (await api.must(owner.token, listPolicies, { query: { ends } })).rows.map(({ id }) => id),
      (await api.must(owner.token, companyUsers, { query: { ends } })).rows.map(({ id }) => id),
    ];
    const end = (until: string) =>
      api.must(owner.token, updatePolicy, {
        params: { id: policy.id },
        body: { ends: [{ id: agent.id, until }] },
      });
    await end(inHours(24 * 20));
    expect(await found('week')).toEqual([[], []]);
    expect(await found('month')).toEqual([[policy.id], [agent.id]]);
    await end(inHours(-1));
    expect(await found('past')).toEqual([[policy.id], [agent.id]]);
    expect(await found('month')).toEqual([[], []]);
  });
});

describe('closed sites', () => {
  test('sites closed by time stay in the routing settings, with the time when they open', async () => {
    const from = inHours(2);
    const { agent, owner, site } = await world({ validFrom: from });
    const access = await api.must(agent.token, myAccess, { query: {} });
    expect(access.sites).toEqual([site.address]);
    expect(access.times).toEqual([{ site: site.address, open: false, until: from }]);
    const why = await api.must(owner.token, whySite, { params: { id: site.id }, query: { user: agent.id } });
    expect(why).toMatchObject({ allow: false, reason: 'not_yet', until: from });
    expect(why.links.at(-2)).toMatchObject({ state: 'missing' });
  });
});

describe('a suspension', () => {
  test('a suspension ends sessions and tokens, refuses a sign-in with the right password, and keeps the policies', async () => {
    const { owner, agent, site, policy } = await world();
    const params = { id: agent.id };
    const suspended = await api.must(owner.token, suspendUser, { params, body: { suspended: true } });
    expect(suspended).toMatchObject({
      suspension: { until: null },
      politics: [{ id: policy.id, until: null }],
    });
    expect(await rightsOfOldApi(agent.id)).toBe(0);
    expect((await api.call(agent.token, myAccess, { query: {} })).status).toBe(401);
    const signIn = (password: string) => api.call(null, login, { body: { email: agent.email, password } });
    expect((await signIn('wrong password')).error.code).toBe('bad_login');
    expect((await signIn(PASSWORD)).error.code).toBe('suspended');
    const why = await api.must(owner.token, whySite, { params: { id: site.id }, query: { user: agent.id } });
    expect(why).toMatchObject({ allow: false, reason: 'suspended' });
    const found = await api.must(owner.token, companyUsers, { query: { suspended: 'true' } });
    expect(found.rows.map(({ id }) => id)).toEqual([agent.id]);
    const lifted = await api.must(owner.token, suspendUser, { params, body: { suspended: false } });
    expect(lifted.suspension).toBeNull();
    expect(await rightsOfOldApi(agent.id)).toBe(1);
    expect((await signIn(PASSWORD)).status).toBe(200);
  });
});

test('the suspension of an owner needs the password, and nobody can suspend themselves or the last owner who can sign in', async () => {
  const { owner } = await world();
  const admin = await createAdmin(api);
  const self = (await api.must(owner.token, me)).id;
  const suspend = async (token: string, id: number, password?: string) => {
    const body = { suspended: true, ...(password !== undefined && { currentPassword: password }) };
    const { status, error } = await api.call(token, suspendUser, { params: { id }, body });
    return status === 200 ? '200' : error.code;
  };
  expect(await suspend(owner.token, self, PASSWORD)).toBe('own_account');
  expect(await suspend(admin, self, PASSWORD)).toBe('last_owner');
  const second = await api.agent(owner.token);
  await api.must(owner.token, changeRole, {
    params: { id: second.id },
    body: { role: 'CREATOR', currentPassword: PASSWORD },
  });
  expect(await suspend(owner.token, second.id)).toBe('bad_input');
  expect(await suspend(owner.token, second.id, 'wrong horse')).toBe('bad_input');
  expect(await suspend(owner.token, second.id, PASSWORD)).toBe('200');
  expect(await suspend(admin, self, PASSWORD)).toBe('last_owner');
});

test('a suspension is lifted at its date', async () => {
  const { owner, agent } = await world();
  const body = { suspended: true, until: new Date(Date.now() + 1_500).toISOString() };
  await api.must(owner.token, suspendUser, { params: { id: agent.id }, body });
  expect(await rightsOfOldApi(agent.id)).toBe(0);
  const task = startLifting({ db: api.database.db, log: { warn: vi.fn<(...facts: unknown[]) => void>() } });
  await expect.poll(() => rightsOfOldApi(agent.id), { timeout: 10_000 }).toBe(1);
  await task.close();
  expect((await api.must(owner.token, getUser, { params: { id: agent.id } })).suspension).toBeNull();
});

test('an api of the previous release can add no member to a policy with times', async () => {
  const { owner, policy } = await world({ validUntil: inHours(1) });
  const other = await api.agent(owner.token);
  const { pool } = api.database;
  await pool.query(
    'insert into policy_users (company_id, policy_id, user_id) select company_id, $1, id from users where id = $2 on conflict do nothing',
    [policy.id, other.id],
  );
  expect(await rightsOfOldApi(other.id)).toBe(0);
  expect((await api.must(owner.token, getPolicy, { params: { id: policy.id } })).users).toHaveLength(2);
});

test('owners get only one mail on the day on which a long right has seven days left, although several tasks run', async () => {
  const { owner, agent, policy } = await world();
  const { pool } = api.database;
  const until = inHours(24);
  await api.must(owner.token, updatePolicy, {
    params: { id: policy.id },
    body: { ends: [{ id: agent.id, until }] },
  });
  // A time zone in which it is between 12:00 and 13:00, because mails are sent from 8:00 on.
  const shift = 12 - new Date().getUTCHours();
  const zone = `Etc/GMT${shift > 0 ? '-' : '+'}${Math.abs(shift)}`;
  await pool.query('update companies set time_zone = $1', [zone]);
  const mailsAt = async (length: string, left: string) => {
    await pool.query(
      `update timed_members set ends_at = now() + $2::interval, set_at = now() + $2::interval - $3::interval where policy_id = $1`,
      [policy.id, left, length],
    );
    await pool.query('delete from plan_warnings');
    const before = inbox.mails.length;
    const log = { warn: vi.fn<(...facts: unknown[]) => void>() };
    const outbox = { encryption: testEncryption, wake: () => undefined };
    const start = () => startEndDigest({ db: api.database.db, log, outbox, page: 'https://console.test/' });
    const tasks = [start(), start(), start()];
    await Promise.all(tasks.map((task) => task.tick()));
    await Promise.all(tasks.map((task) => task.close()));
    expect(log.warn).not.toHaveBeenCalled();
    await expect.poll(async () => (await pool.query('select from mails')).rowCount).toBe(0);
    return inbox.mails.slice(before).map(({ to, text }) => [to, text.includes('Office')]);
  };
  expect(await mailsAt('15 days', '7 days')).toEqual([[owner.email, true]]);
  expect(await mailsAt('15 days', '6 days')).toEqual([]);
  expect(await mailsAt('13 days', '7 days')).toEqual([]);
  expect(await mailsAt('3 days', '1 day')).toEqual([[owner.email, true]]);
  expect(await mailsAt('1 day', '20 hours')).toEqual([]);
});
