import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { deleteCompany } from '@propusk/contract/companies';
import { feedRecords, type GatewayRecord } from '@propusk/contract/gateway-records';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { evidence } from '@propusk/contract/protection';
import { listProxies } from '@propusk/contract/proxies';
import { listVisits, liveVisits, myVisits, statistics } from '@propusk/contract/records';
import { createSite, deleteSite } from '@propusk/contract/sites';
import { deleteUser, updateUser } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
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

const sql = (text: string, ...values: unknown[]) => api.database.pool.query(text, values);

interface Home {
  token: string;
  id: number;
  agent: { id: number; token: string; email: string };
  site: number;
}

async function company(): Promise<Home> {
  const { token } = await api.company();
  const id = (await api.must(token, me)).company?.id ?? 0;
  const site = await api.must(token, createSite, { body: { address: 'crm.example.ru' } });
  return { token, id, agent: await api.agent(token), site: site.id };
}

/** A record of a closed tunnel of the agent. */
const visit = ({ id, agent, site }: Home, rest: Partial<GatewayRecord> = {}): GatewayRecord => ({
  ...{ id: randomUUID(), kind: 'tunnel', startedAt: new Date().toISOString(), ms: 1_500, open: false },
  ...{
    companyId: id,
    userId: agent.id,
    siteId: site,
    address: '203.0.113.5',
    host: 'crm.example.ru',
    port: 443,
  },
  ...{ reason: '', count: 1, up: 100, down: 2_000, ...rest },
});

function gateway(id = randomUUID()) {
  const run = randomUUID();
  let number = 0;
  return {
    /** Sends a batch of records under the next number, or with `again` under the number of the previous batch. */
    send: (records: GatewayRecord[], { again = false, of = api } = {}) => {
      if (!again) number += 1;
      return of.must(testKeys.feed, feedRecords, { body: { gateway: id, run, number, records } });
    },
    restarted: () => gateway(id),
  };
}

const figures = async ({ id }: Home) =>
  (
    await sql(
      'select sum(visits)::int as visits, sum(up)::int as up, sum(down)::int as down from record_hours where company_id = $1',
      id,
    )
  ).rows[0];

test('a batch that is sent repeatedly, even concurrently to two apis, is stored once', async () => {
  const home = await company();
  const one = gateway();
  await one.send([visit(home), visit(home)]);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => one.send([visit(home)], { again: true, of: n % 2 ? twin : api })),
  );
  expect((await api.must(home.token, listVisits, { query: {} })).rows).toHaveLength(2);
  expect(await figures(home)).toEqual({ visits: 2, up: 200, down: 4_000 });
});

test('a record that summarizes several visits adds that number of visits to the statistics', async () => {
  const home = await company();
  const one = gateway();
  const sum = visit(home, { visits: 5, count: 5, open: true });
  await one.send([sum]);
  expect(await figures(home)).toEqual({ visits: 5, up: 100, down: 2_000 });
  await one.send([{ ...sum, visits: 7, count: 7, up: 140, host: '*', open: false }]);
  expect(await figures(home)).toEqual({ visits: 7, up: 140, down: 2_000 });
  expect((await api.must(home.token, listVisits, { query: {} })).rows).toMatchObject([
    { id: sum.id, visits: 7, count: 7, host: '*', state: 'closed' },
  ]);
});

test('a company keeps the state of its first steps after its records and sites are deleted', async () => {
  const home = await company();
  const seen = () => api.must(home.token, evidence, {});
  const body = { name: 'Продажи', proxyId: 1, sites: [home.site], users: [home.agent.id] };
  await api.must(home.token, createPolicy, { body });
  await gateway().send([visit(home, { kind: 'refusal', reason: 'no_policy' })]);
  expect(await seen()).toMatchObject({ visited: false, firstStepsDone: false });
  await gateway().send([visit(home)]);
  expect(await seen()).toMatchObject({ visited: true, firstStepsDone: false });
  for (const table of ['records', 'record_hours'])
    await sql(`delete from ${table} where company_id = $1`, home.id);
  expect(await seen()).toMatchObject({ visited: true, firstStepsDone: false });
  await sql(
    `insert into site_checks (company_id, site_id, state, shown_verdict, shown_at, was_protected)
      values ($1, $2, 'done', 'protected', now(), true)`,
    home.id,
    home.site,
  );
  expect(await seen()).toMatchObject({ siteExists: true, firstStepsDone: true });
  await api.must(home.token, deleteSite, { params: { id: home.site } });
  expect(await seen()).toMatchObject({ siteExists: false, firstStepsDone: true });
});

test('bytes count in the hour of their transfer, and a visit in the hour in which it began', async () => {
  const home = await company();
  const one = gateway();
  const began = Date.parse('2026-03-01T10:50:00Z');
  const long = visit(home, { startedAt: new Date(began).toISOString(), open: true, ms: 300_000 });
  await one.send([long]);
  await one.send([{ ...long, ms: 1_200_000, up: 300, count: 4, open: false }]);
  const at = new Date(began + 3 * 3_600_000).toISOString();
  await one.send([{ ...visit(home, { visits: 2, startedAt: long.startedAt, ms: 60_000 }), at }]);
  const { rows } = await sql(
    `select extract(hour from hour at time zone 'UTC')::int as hour, visits::int, count::int, up::int from record_hours
      where company_id = $1 order by 1`,
    home.id,
  );
  expect(rows).toEqual([
    { hour: 10, visits: 3, count: 1, up: 100 },
    { hour: 11, visits: 0, count: 3, up: 200 },
    { hour: 13, visits: 0, count: 1, up: 100 },
  ]);
});

test('lost records appear as one entry of the access log and do not count in the statistics', async () => {
  const [home, neighbour] = [await company(), await company()];
  const { companyId, startedAt, ...rest } = visit(home, { kind: 'loss', reason: 'spool', count: 40 });
  const loss = { ...rest, companyId, startedAt, userId: undefined, siteId: undefined, host: '', port: 0 };
  await gateway().send([loss, visit(neighbour)]);
  expect((await api.must(home.token, listVisits, { query: {} })).rows).toMatchObject([
    { kind: 'loss', reason: 'spool', count: 40, user: null },
  ]);
  expect(await figures(home)).toEqual({ visits: null, up: null, down: null });
  expect((await api.must(neighbour.token, listVisits, { query: {} })).rows).toHaveLength(1);
});

test('an open visit is listed as in progress until its end', async () => {
  const home = await company();
  const one = gateway();
  const open = visit(home, { open: true });
  await one.send([open]);
  const live = await api.must(home.token, liveVisits);
  expect(live.rows).toMatchObject([
    { id: open.id, state: 'open', user: { id: home.agent.id }, site: { name: 'crm.example.ru' } },
  ]);
  await one.send([
    { ...open, ms: 60_000, down: 9_000 },
    { ...open, ms: 61_000, up: 150, down: 10_000, open: false },
  ]);
  expect((await api.must(home.token, liveVisits)).rows).toEqual([]);
  const [closed] = (await api.must(home.token, listVisits, { query: {} })).rows;
  expect(closed).toMatchObject({ id: open.id, state: 'closed', ms: 61_000, up: 150, down: 10_000 });
  expect(await figures(home)).toEqual({ visits: 1, up: 150, down: 10_000 });
});

test('open visits become interrupted when their gateway restarts or sends no batches', async () => {
  const home = await company();
  const [one, other] = [gateway(), gateway()];
  const [lost, kept] = [visit(home, { open: true }), visit(home, { open: true })];
  await one.send([lost]);
  await other.send([kept]);
  await one.restarted().send([]);
  const states = async () => {
    const { rows } = await api.must(home.token, listVisits, { query: {} });
    return new Map(rows.map(({ id, state }) => [id, state]));
  };
  expect(await states()).toEqual(
    new Map([
      [lost.id, 'interrupted'],
      [kept.id, 'open'],
    ]),
  );
  const silent = visit(home, {
    open: true,
    startedAt: new Date(Date.now() - 400_000).toISOString(),
    ms: 60_000,
  });
  await other.send([silent]);
  await keep();
  // The record is old but stays open, because its gateway still sends batches.
  expect((await states()).get(silent.id)).toBe('open');
  await sql(
    "update record_runs set seen_at = now() - interval '6 minutes' where id = (select run from records where id = $1)",
    silent.id,
  );
  await keep();
  expect((await states()).get(silent.id)).toBe('interrupted');
  await other.send([{ ...silent, ms: 399_000 }]);
  expect((await states()).get(silent.id)).toBe('open');
});

async function keep(days = 90): Promise<void> {
  const log = { warn: vi.fn<(...facts: unknown[]) => void>() };
  const keeper = startRecordKeeper({ db: api.database.db, log, days });
  await keeper.tick();
  await keeper.close();
  expect(log.warn).not.toHaveBeenCalled();
}

test('the pages of the access log have no gap or overlap', async () => {
  const home = await company();
  const second = await api.agent(home.token);
  const one = gateway();
  const at = (n: number) => new Date(Date.now() - n * 1_000).toISOString();
  // Groups of three records start in the same millisecond, so a page can end within a group.
  const records = Array.from({ length: 30 }, (_, n) => visit(home, { startedAt: at(Math.floor(n / 3)) }));
  records.push(
    visit(home, {
      kind: 'refusal',
      reason: 'no_policy',
      userId: second.id,
      siteId: undefined,
      count: 7,
      startedAt: at(60),
    }),
  );
  await one.send(records);
  const seen: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await api.must(home.token, listVisits, { query: { take: 4, ...(before && { before }) } });
    seen.push(...page.rows.map(({ id }) => id));
    if (page.next === null) break;
    before = page.next;
  }
  expect(new Set(seen).size).toBe(31);
  expect(seen).toHaveLength(31);
  const count = async (query: object) =>
    (await api.must(home.token, listVisits, { query: { take: 100, ...query } })).rows.length;
  const period = { from: at(3_600), to: at(-60) };
  expect(await count({ user: second.id })).toBe(1);
  expect(await count({ site: home.site })).toBe(30);
  expect(await count({ result: 'refused', ...period })).toBe(1);
  expect(await count({ result: 'allowed', ...period })).toBe(30);
  expect(await count({ reason: 'no_policy', ...period })).toBe(1);
  expect(await count({ address: '203.0.113.5', ...period })).toBe(31);
  expect(await count({ to: at(30) })).toBe(1);
  for (const query of [
    { result: 'refused' },
    { reason: 'no_policy', from: '2026-01-01T00:00:00Z', to: '2026-02-02T00:00:00Z' },
  ] as const) {
    expect((await api.call(home.token, listVisits, { query })).error.fields).toHaveProperty('from');
  }
});

test("a company reads no records of another company, and an agent reads only the agent's own records", async () => {
  const [home, other] = [await company(), await company()];
  const colleague = await api.agent(home.token);
  const one = gateway();
  await one.send([visit(home), visit(home, { userId: colleague.id }), visit(other, { open: true })]);
  expect((await api.must(home.token, listVisits, { query: { user: other.agent.id } })).rows).toEqual([]);
  expect((await api.must(home.token, listVisits, { query: { site: other.site } })).rows).toEqual([]);
  expect((await api.must(home.token, liveVisits)).rows).toEqual([]);
  const own = await api.must(home.agent.token, myVisits, { query: {} });
  expect(own.rows.map(({ user }) => user?.id)).toEqual([home.agent.id]);
  // A forged cursor with the id of another company's record changes where the page starts, but reveals nothing.
  const foreign = (await api.must(other.token, listVisits, { query: {} })).rows[0];
  const before = `${Date.parse(foreign?.startedAt ?? '') + 1}-${foreign?.id}`;
  const moved = await api.must(home.token, listVisits, { query: { before } });
  expect(moved.rows.every(({ user }) => user?.id !== other.agent.id)).toBe(true);
});

test('records keep the name of a deleted user and the host of a deleted site', async () => {
  const home = await company();
  await gateway().send([visit(home)]);
  await api.must(home.token, updateUser, {
    params: { id: home.agent.id },
    body: { name: 'Anna', surname: 'K' },
  });
  await api.must(home.token, deleteUser, { params: { id: home.agent.id } });
  await api.must(home.token, deleteSite, { params: { id: home.site } });
  const [row] = (await api.must(home.token, listVisits, { query: {} })).rows;
  expect(row).toMatchObject({
    user: { id: home.agent.id, name: 'Anna K' },
    site: null,
    host: 'crm.example.ru',
  });
});

test('the record keeper deletes records of a deleted company and records older than the retention', async () => {
  const [gone, home] = [await company(), await company()];
  const one = gateway();
  const old = new Date(Date.now() - 91 * 86_400_000).toISOString();
  await one.send([visit(gone), visit(home), visit(home, { startedAt: old })]);
  const admin = await createAdmin(api);
  await api.must(admin, deleteCompany, { params: { id: gone.id }, body: { currentPassword: PASSWORD } });
  await keep();
  await one.send([visit(gone)]);
  const left = await sql('select company_id from records where company_id = any($1)', [gone.id, home.id]);
  expect(left.rows).toEqual([{ company_id: home.id }]);
  for (const table of ['record_hours', 'record_people', 'record_removals']) {
    expect((await sql(`select from ${table} where company_id = $1`, gone.id)).rowCount, table).toBe(0);
  }
});

test('a record that is dated months ahead is dropped, and the rest of its batch is stored', async () => {
  const home = await company();
  const ahead = new Date(Date.now() + 150 * 86_400_000).toISOString();
  await gateway().send([visit(home), visit(home, { startedAt: ahead })]);
  expect((await api.must(home.token, listVisits, { query: {} })).rows).toHaveLength(1);
  await sql('select add_record_months(6)');
});

test('a partition that is created late gets the stored records of its month', async () => {
  const home = await company();
  const part = `records_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  await sql(`alter table records detach partition ${part}`);
  await sql(`alter table ${part} rename to aside`);
  await gateway().send([visit(home)]);
  const partOf = async () =>
    (await sql('select tableoid::regclass::text as name from records where company_id = $1', home.id)).rows;
  expect(await partOf()).toEqual([{ name: 'records_rest' }]);
  await sql('select add_record_months(3)');
  expect(await partOf()).toEqual([{ name: part }]);
  await sql('insert into records select * from aside');
  await sql('drop table aside');
});

test('the api stores a compressed batch of records only if the request has the gateway key', async () => {
  const home = await company();
  const body = JSON.stringify({
    gateway: randomUUID(),
    run: randomUUID(),
    number: 1,
    records: [visit(home)],
  });
  const send = (token: string, payload: Buffer | string, encoding = 'gzip') =>
    api.app.inject({
      method: 'POST',
      url: '/api/feed/records',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-encoding': encoding,
      },
      payload,
    });
  expect((await send(home.token, gzipSync(body))).statusCode).toBe(401);
  expect((await send('none', gzipSync('0'.repeat(5_000_000)))).statusCode).toBe(401);
  expect((await send(testKeys.feed, gzipSync(' '.repeat(5_000_000)))).statusCode).toBe(413);
  expect((await send(testKeys.feed, gzipSync(body))).statusCode).toBe(204);
  expect((await api.must(home.token, listVisits, { query: {} })).rows).toHaveLength(1);
});

test('hosts with quotes, line breaks or JSON are stored as plain text', async () => {
  const home = await company();
  const hosts = [`a"b'c.example.ru`, 'x\r\ny', '=cmd|calc', '{"up": 1}', "'); drop table records; --"];
  await gateway().send(hosts.map((host) => visit(home, { host, siteId: undefined, userId: undefined })));
  const { rows } = await api.must(home.token, listVisits, { query: {} });
  expect(rows.map(({ host }) => host).toSorted()).toEqual(hosts.toSorted());
});

test('the statistics count users, visits, bytes and refusals by hour and by day of a time zone', async () => {
  const home = await company();
  const idle = await api.must(home.token, createSite, { body: { address: 'idle.example.ru' } });
  const { rows: proxies } = await api.must(home.token, listProxies, { query: {} });
  const second = await api.agent(home.token);
  await api.must(home.token, createPolicy, {
    body: {
      name: 'Both',
      proxyId: proxies[0]?.id ?? 0,
      sites: [home.site, idle.id],
      users: [home.agent.id, second.id],
    },
  });
  // In Moscow, 2 March begins at 21:00 UTC on 1 March.
  const at = (time: string) => ({ startedAt: `2026-03-${time}:00.000Z` });
  await gateway().send([
    visit(home, at('01T20:30')),
    visit(home, at('01T21:30')),
    visit(home, { ...at('01T21:45'), userId: second.id, down: 5_000 }),
    visit(home, {
      ...at('02T10:00'),
      kind: 'refusal',
      reason: 'no_policy',
      host: 'idle.example.ru',
      siteId: undefined,
      count: 9,
      up: 0,
      down: 0,
    }),
    visit(home, {
      ...at('02T10:01'),
      kind: 'refusal',
      reason: 'site_unknown',
      host: 'none.example.ru',
      siteId: undefined,
      count: 2,
      up: 0,
      down: 0,
    }),
    visit(home),
  ]);
  const read = (from: string, to: string, step: 'hour' | 'day', topBy?: 'bytes') =>
    api.must(home.token, statistics, {
      query: { from: `2026-03-${from}:00Z`, to: `2026-03-${to}:00Z`, step, ...(topBy && { topBy }) },
    });
  const day = await read('01T21:00', '02T21:00', 'day');
  expect(day).toMatchObject({
    people: { now: 2, before: 1 },
    visits: { now: 2, before: 1 },
    bytes: { now: 7_200, before: 2_100 },
    refusals: { now: 11, before: 0 },
    chart: [{ at: '2026-03-01T21:00:00.000Z', visits: 2, bytes: 7_200, refusals: 11 }],
    sites: [{ id: home.site, visits: 2, bytes: 7_200 }],
    refused: [
      {
        reason: 'no_policy',
        user: { id: home.agent.id },
        host: 'idle.example.ru',
        site: { id: idle.id },
        count: 9,
      },
      { reason: 'site_unknown', site: null, count: 2 },
    ],
  });
  expect(day.users.map(({ id, visits }) => [id, visits])).toEqual([
    [home.agent.id, 1],
    [second.id, 1],
  ]);
  const byBytes = await read('01T21:00', '02T21:00', 'day', 'bytes');
  expect(byBytes.users.map(({ id, bytes }) => [id, bytes])).toEqual([
    [second.id, 5_100],
    [home.agent.id, 2_100],
  ]);
  expect(
    (await read('01T20:00', '02T12:00', 'hour')).chart.map(({ visits, refusals }) => [visits, refusals]),
  ).toEqual([
    [1, 0],
    [2, 0],
    [0, 11],
  ]);
  // The statistics count whole hours, so a period from 21:50 includes the visits of 21:30 and 21:45.
  expect((await read('01T21:50', '02T21:00', 'day')).visits).toEqual({ now: 2, before: 1 });
  // `unused` omits only the agent's access to `home.site`, which the agent used in the last 30 days.
  expect(day.unused.map(({ user, site }) => [user.id, site.id])).toEqual([
    [home.agent.id, idle.id],
    [second.id, home.site],
    [second.id, idle.id],
  ]);
  expect(day.idle.map(({ id }) => id)).toEqual([idle.id]);
  const query = {
    from: '2026-03-02T00:00:00Z',
    to: '2026-03-01T00:00:00Z',
    step: 'day',
  } as const;
  expect((await api.call(home.token, statistics, { query })).status).toBe(400);
});
