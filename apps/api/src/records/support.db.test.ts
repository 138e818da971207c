import { randomUUID } from 'node:crypto';
import { listAudit } from '@propusk/contract/audit';
import { feedRecords, type GatewayRecord } from '@propusk/contract/gateway-records';
import { me } from '@propusk/contract/me';
import {
  companyFigures,
  companyVisits,
  exportVisits,
  getSupport,
  listVisits,
  liveVisits,
  setSupport,
} from '@propusk/contract/records';
import { deleteUser } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
let twin: TestApi;
let admin: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  twin = await startApi(inject('serverUrl'), { shared: api.database });
  admin = await createAdmin(api);
});
afterAll(async () => {
  await twin.close();
  await api.close();
});

async function company() {
  const { token } = await api.company();
  const { id: userId, company: own } = await api.must(token, me);
  const agent = await api.agent(token);
  return { token, userId, id: own?.id ?? 0, agent };
}
type Home = Awaited<ReturnType<typeof company>>;

function send(home: Home, ...records: Partial<GatewayRecord>[]) {
  const run = { gateway: randomUUID(), run: randomUUID(), number: 1 };
  return api.must(testKeys.feed, feedRecords, {
    body: {
      ...run,
      records: records.map((rest) => ({
        ...{
          id: randomUUID(),
          kind: 'tunnel' as const,
          startedAt: daysAgo(0),
          ms: 1,
          open: false,
          port: 443,
        },
        ...{ companyId: home.id, userId: home.agent.id, address: '203.0.113.5', host: 'crm.example.ru' },
        ...{ reason: '', count: 1, up: 10, down: 90, ...rest },
      })),
    },
  });
}
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

async function events(home: Home) {
  const { rows } = await api.must(home.token, listAudit, { query: { take: 100, order: 'ASC' } });
  return rows
    .filter(({ action }) => /^(visits_|support_)/.test(action))
    .map(({ action, object, actor }) => [action, object.kind, object.id, actor.roles[0]?.value]);
}
const ofCompany = ({ id }: Home) => ({ params: { id }, query: {} });

test('an ADMIN gets the access statistics of a company without names of users or hosts', async () => {
  const home = await company();
  await send(
    home,
    {},
    { userId: home.userId },
    { kind: 'refusal', reason: 'no_policy', count: 3, up: 0, down: 0 },
    { startedAt: daysAgo(31) },
    { startedAt: daysAgo(61) },
  );
  const figures = await api.must(admin, companyFigures, { params: { id: home.id } });
  expect(figures).toEqual({
    people: { now: 2, before: 1 },
    visits: { now: 2, before: 1 },
    bytes: { now: 200, before: 100 },
    refusals: { now: 3, before: 0 },
    supportUntil: null,
  });
});

test('an ADMIN lists the visits of a company only while its owner allows it', async () => {
  const home = await company();
  await send(home, {}, {});
  const refused = await api.call(admin, companyVisits, ofCompany(home));
  expect([refused.status, refused.error.code]).toEqual([403, 'support_closed']);
  const { until } = await api.must(home.token, setSupport, { body: { allowed: true } });
  expect(Date.parse(until ?? '') - Date.now()).toBeGreaterThan(86_390_000);
  expect(await api.must(home.token, getSupport)).toEqual({ until });
  for (const _ of [1, 2])
    expect((await api.must(admin, companyVisits, ofCompany(home))).rows).toHaveLength(2);
  expect(
    (await api.must(admin, companyVisits, { params: { id: home.id }, query: { user: home.userId } })).rows,
  ).toEqual([]);
  expect(await api.must(home.token, setSupport, { body: { allowed: false } })).toEqual({ until: null });
  await api.must(home.token, setSupport, { body: { allowed: false } });
  expect((await api.call(admin, companyVisits, ofCompany(home))).status).toBe(403);
  expect(await events(home)).toEqual([
    ['support_allowed', 'company', home.id, 'CREATOR'],
    ['visits_read', 'company', home.id, 'ADMIN'],
    ['support_ended', 'company', home.id, 'CREATOR'],
  ]);
});

test('the permission for ADMINs to read visits ends after 24 hours by the database clock', async () => {
  const [home, other] = [await company(), await company()];
  await api.must(home.token, setSupport, { body: { allowed: true } });
  expect((await api.call(admin, companyVisits, ofCompany(other))).status).toBe(403);
  await api.database.pool.query('update companies set support_until = now() where id = $1', [home.id]);
  expect((await api.call(admin, companyVisits, ofCompany(home))).error.code).toBe('support_closed');
  expect(await api.must(home.token, getSupport)).toEqual({ until: null });
  expect((await api.must(admin, companyFigures, { params: { id: home.id } })).supportUntil).toBe(null);
});

test('repeated reads of the same visits write one audit event a day', async () => {
  const [home, other] = [await company(), await company()];
  await send(home, {});
  const look = (user: number, by = api) => by.must(home.token, listVisits, { query: { user } });
  await Promise.all(Array.from({ length: 20 }, (_, n) => look(home.agent.id, n % 2 ? twin : api)));
  await look(home.userId);
  await look(other.agent.id);
  for (const _ of [1, 2]) {
    await api.must(home.token, liveVisits);
    await api.must(home.token, listVisits, { query: {} });
    await api.call(home.token, exportVisits, { query: {} });
  }
  expect(await events(home)).toEqual([
    ['visits_read', 'user', home.agent.id, 'CREATOR'],
    ['visits_read', 'company', home.id, 'CREATOR'],
    ['visits_exported', 'company', home.id, 'CREATOR'],
  ]);
  expect(await events(other)).toEqual([]);
});

test("the audit event of reading a deleted user's visits contains the last stored name", async () => {
  const home = await company();
  await send(home, {});
  const look = () => api.must(home.token, listVisits, { query: { user: home.agent.id } });
  await look();
  await api.must(home.token, deleteUser, { params: { id: home.agent.id } });
  await api.database.pool.query("delete from rate_limits where key like 'visits_read:%'");
  await look();
  const { rows } = await api.must(home.token, listAudit, { query: {} });
  const names = rows.filter(({ action }) => action === 'visits_read').map(({ object }) => object.name);
  expect(names).toHaveLength(2);
  expect(names).toContain(home.agent.email);
});
