import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { feedRecords, type GatewayRecord } from '@propusk/contract/gateway-records';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { createSite, deleteSite, getSite, listSites, siteIds } from '@propusk/contract/sites';
import { companyUsers, deleteUser, getUser, listUsers, userIds } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { startRecordKeeper } from './keeper.ts';

let api: TestApi;
let twin: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  twin = await startApi(inject('serverUrl'), { shared: api.database });
});
afterAll(async () => {
  await twin.close();
  await api.close();
});

const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

type Home = Awaited<ReturnType<typeof company>>;

async function company() {
  const { token } = await api.company();
  const id = (await api.must(token, me)).company?.id ?? 0;
  const site = (await api.must(token, createSite, { body: { address: 'crm.example.ru' } })).id;
  const agent = await api.agent(token);
  const body = { name: 'Продажи', proxyId: 1, users: [agent.id], sites: [site] };
  await api.must(token, createPolicy, { body });
  return { token, id, site, agent };
}

/** A record of a closed tunnel of one second. */
const visit = ({ id, agent, site }: Home, rest: Partial<GatewayRecord> = {}): GatewayRecord => ({
  ...{ id: randomUUID(), kind: 'tunnel', startedAt: ago(1_000), ms: 1_000, open: false, port: 443 },
  ...{ companyId: id, userId: agent.id, siteId: site, address: '', host: 'crm.example.ru' },
  ...{ reason: '', count: 1, up: 1, down: 1, ...rest },
});

const send = (records: GatewayRecord[], { run = randomUUID(), number = 1, of = api } = {}) =>
  of.must(testKeys.feed, feedRecords, { body: { gateway: randomUUID(), run, number, records } });

async function seen({ token, agent, site }: Home) {
  const user = await api.must(token, getUser, { params: { id: agent.id } });
  const place = await api.must(token, getSite, { params: { id: site } });
  const listed = (await api.must(token, companyUsers)).rows.find(({ id }) => id === agent.id);
  const [first] = (await api.must(token, listSites)).rows;
  expect([listed?.lastVisitAt, first?.lastVisitAt]).toEqual([user.lastVisitAt, place.lastVisitAt]);
  return [user.lastVisitAt, place.lastVisitAt];
}

async function keep(): Promise<void> {
  const log = { warn: vi.fn<(...facts: unknown[]) => void>() };
  const keeper = startRecordKeeper({ db: api.database.db, log, days: 90 });
  await keeper.tick();
  await keeper.close();
  expect(log.warn).not.toHaveBeenCalled();
}

const never = async ({ token }: Home) => [
  (await api.must(token, userIds, { query: { visited: 'never', role: 'USER' } })).ids,
  (await api.must(token, siteIds, { query: { visited: 'never' } })).ids,
];

test('a user and a site have no last visit until a record of a visit is stored; refusals and losses do not count', async () => {
  const home = await company();
  await send([
    visit(home, { kind: 'refusal', reason: 'no_policy' }),
    visit(home, { kind: 'loss', reason: 'limit' }),
  ]);
  expect(await seen(home)).toEqual([null, null]);
  expect(await never(home)).toEqual([[home.agent.id], [home.site]]);
  const startedAt = ago(2 * HOUR_MS);
  await send([visit(home, { startedAt, ms: HOUR_MS })]);
  const end = new Date(Date.parse(startedAt) + HOUR_MS).toISOString();
  expect(await seen(home)).toEqual([end, end]);
  expect(await never(home)).toEqual([[], []]);
});

test('a late batch and a repeated batch do not move the last visit back, and a visit less than five minutes later does not move it', async () => {
  const home = await company();
  const times = [2 * HOUR_MS, 3 * HOUR_MS, 2 * HOUR_MS - 60_000].map(ago);
  const run = randomUUID();
  for (const [number, startedAt = ''] of times.entries())
    await send([visit(home, { startedAt, ms: 0 })], { run, number: number + 1 });
  expect(await seen(home)).toEqual([times[0], times[0]]);
  await send([visit(home, { startedAt: ago(0), ms: 0 })], { run, number: 3 });
  expect(await seen(home)).toEqual([times[0], times[0]]);
  const later = ago(HOUR_MS);
  await send([visit(home, { startedAt: later, ms: 0 })], { run, number: 4 });
  expect(await seen(home)).toEqual([later, later]);
});

test('concurrent batches of several gateways with the same users and sites are all stored', async () => {
  const homes = [await company(), await company(), await company()];
  const batches = Array.from({ length: 24 }, (_, n) => {
    const records = homes.map((home) => visit(home, { startedAt: ago((30 - n) * HOUR_MS), ms: 0 }));
    return send(n % 2 ? records : records.toReversed(), { of: n % 3 ? api : twin });
  });
  await Promise.all(batches);
  for (const home of homes) {
    const [user] = await seen(home);
    expect(Date.now() - Date.parse(user ?? '')).toBeLessThan(8 * HOUR_MS);
  }
});

test('a record of another company’s user or site, or of a deleted one, stores no last visit', async () => {
  const [home, other] = [await company(), await company()];
  await send([visit(home, { userId: other.agent.id, siteId: other.site })]);
  expect(await seen(other)).toEqual([null, null]);
  await send([visit(other)]);
  await api.must(other.token, deleteUser, { params: { id: other.agent.id } });
  await api.must(other.token, deleteSite, { params: { id: other.site } });
  await send([visit(other)]);
  await keep();
  const kept = 'select from last_visits where company_id = any ($1)';
  expect((await api.database.pool.query(kept, [[home.id, other.id]])).rowCount).toBe(0);
});

test('a batch of records is stored while a company deletes a user and a site with visits', async () => {
  const [home, other] = [await company(), await company()];
  const startedAt = ago(HOUR_MS);
  await send([visit(home, { startedAt })]);
  const client = api.database.client();
  await client.connect();
  await client.query('begin');
  await client.query('delete from users where id = $1', [home.agent.id]);
  await client.query('delete from sites where id = $1', [home.site]);
  await send([visit(home), visit(other)]);
  expect((await seen(other)).every((at) => typeof at === 'string')).toBe(true);
  await client.query('commit');
  await client.end();
});

test('the keeper adds the last visit for a visit that an earlier version of the api stored, and moves no last visit back', async () => {
  const [home, other] = [await company(), await company()];
  await send([visit(other)]);
  const before = await seen(other);
  for (const { id, agent, site } of [home, other])
    await api.database.pool.query(
      "insert into record_hours values ($1, date_trunc('hour', now()) - interval '2 hours', $2, $3, '', '', 1, 1, 1, 1)",
      [id, agent.id, site],
    );
  expect(await seen(home)).toEqual([null, null]);
  await keep();
  const hour = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS).toISOString();
  expect(await seen(home)).toEqual([hour, hour]);
  expect(await seen(other)).toEqual(before);
});

test('neither a USER nor an ADMIN gets a last visit, and a filter by it returns no rows to them', async () => {
  const home = await company();
  await send([visit(home)]);
  const admin = await createAdmin(api);
  const query = { visited: 'never' } as const;
  for (const token of [home.agent.token, admin]) {
    const { rows } = await api.must(token, listSites);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((row) => !('lastVisitAt' in row))).toBe(true);
    expect((await api.must(token, listSites, { query })).count).toBe(0);
  }
  const users = (await api.must(admin, listUsers)).rows;
  expect(users.some(({ id }) => id === home.agent.id)).toBe(true);
  expect(users.every((row) => !('lastVisitAt' in row))).toBe(true);
  expect(await api.must(home.token, me)).not.toHaveProperty('lastVisitAt');
});

test('the migration takes last visits from the hourly statistics; without a visit, the last visit of users and sites older than the first record is unknown', async () => {
  const [visited, fresh, old] = [await company(), await company(), await company()];
  const { pool } = api.database;
  const hour = '2026-01-05T10:00:00.000Z';
  await pool.query('delete from record_hours');
  await pool.query(
    `insert into record_hours select $1, $4::timestamptz - n * interval '1 day', $2, $3, '', '', 1, 1, 1, 1
      from generate_series(0, 3) as n`,
    [visited.id, visited.agent.id, visited.site, hour],
  );
  for (const table of ['users', 'sites'])
    await pool.query(`update ${table} set created_at = '2025-01-01' where company_id = $1`, [old.id]);
  const file = new URL('../db/migrations/012-last-visits.sql', import.meta.url);
  await pool.query(`drop table last_visits; ${await readFile(file, 'utf8')}`);
  expect(await seen(visited)).toEqual([hour, hour]);
  expect(await seen(fresh)).toEqual([null, null]);
  expect(await seen(old)).toEqual([undefined, undefined]);
  expect(await never(old)).toEqual([[], []]);
  await send([visit(old)]);
  expect((await seen(old)).every((at) => typeof at === 'string')).toBe(true);
});
