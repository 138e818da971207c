import { randomUUID } from 'node:crypto';
import { type ClientRequest, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { myAccess } from '@propusk/contract/access';
import { type CompanySnapshot, feed } from '@propusk/contract/feed';
import { feedRecords, type GatewayRecord } from '@propusk/contract/gateway-records';
import { me } from '@propusk/contract/me';
import { createPolicy, deletePolicy, updatePolicy } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { endVisits } from '@propusk/contract/records';
import { createSite, deleteSite } from '@propusk/contract/sites';
import { companyUsers, deleteUser, updateUser } from '@propusk/contract/users';
import { startApi, type TestApi, testKeys } from '@propusk/test-kit/api/api';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';

let api: TestApi;
let owner: string;
let company: number;
const open: ClientRequest[] = [];
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  owner = (await api.company()).token;
  company = (await api.must(owner, me)).company?.id ?? 0;
});
afterEach(() => {
  for (const request of open.splice(0)) request.destroy();
});
afterAll(() => api.close());

/**
 * Connects to the feed as a gateway does. Records the latest snapshot of each company, all events in order,
 * and whether the stream ended.
 */
async function listen(to: TestApi = api) {
  const { port } = to.app.server.address() as AddressInfo;
  const heard: { event: string; data: unknown }[] = [];
  let ended = false;
  const headers = { authorization: `Bearer ${testKeys.feed}` };
  const request = get({ host: '127.0.0.1', port, path: `/api${feed.path}`, headers }, (response) => {
    let text = '';
    response.on('end', () => (ended = true));
    response.setEncoding('utf8').on('data', (more: string) => {
      const events = (text + more).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
        heard.push({ event: name, data: JSON.parse(data) });
      }
    });
  });
  // Ignores the error that the request emits when the end of the test destroys the request.
  request.on('error', () => {});
  open.push(request);
  const last = (companyId: number) =>
    heard.findLast(
      ({ event, data }) => event === 'company' && (data as CompanySnapshot).companyId === companyId,
    )?.data as CompanySnapshot | undefined;
  await expect.poll(() => heard.map(({ event }) => event)).toContain('ready');
  return { heard, last, ended: () => ended };
}

/** Waits up to a second for a message of the feed. */
async function soon(check: () => void): Promise<void> {
  const elapsed = stopwatch();
  await vi.waitFor(check, { timeout: 30_000, interval: 5 });
  expect(elapsed()).toBeLessThan(1_000);
}
const version = async () => (await api.must(owner, myAccess)).version;

describe('the feed', () => {
  test('the feed accepts only the gateway key', async () => {
    for (const token of [null, owner, 'x', testKeys.feed.slice(1)]) {
      expect((await api.call(token, feed)).status).toBe(401);
    }
  });

  test('the feed sends a full snapshot first, then each change within a second', async () => {
    const gateway = await listen();
    const proxy = await api.must(owner, createProxy, {
      body: { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-secret' },
    });
    const policy = await api.must(owner, createPolicy, { body: { name: 'Продажи', proxyId: proxy.id } });
    const site = await api.must(owner, createSite, {
      body: { address: 'crm.example.ru', politics: [policy.id] },
    });
    const agent = await api.agent(owner, [policy.id]);
    await soon(() =>
      expect(gateway.last(company)).toMatchObject({
        users: expect.arrayContaining([{ id: agent.id, epoch: 1 }]),
        sites: [{ id: site.id, address: 'crm.example.ru', claim: null }],
        proxies: [
          {
            id: proxy.id,
            type: 'users',
            direct: false,
            port: 8080,
            username: 'login',
            password: 'canary-secret',
          },
        ],
        policies: [
          { id: policy.id, proxyId: proxy.id, allSites: false, users: [agent.id], sites: [site.id] },
        ],
      }),
    );
    await api.must(owner, updateUser, { params: { id: agent.id }, body: { politics: [] } });
    await soon(() => expect(gateway.last(company)?.policies[0]?.users).toEqual([]));
    await api.must(owner, updateUser, { params: { id: agent.id }, body: { password: 'another horse' } });
    await soon(() => expect(gateway.last(company)?.users.find(({ id }) => id === agent.id)?.epoch).toBe(2));
    await api.must(owner, deleteUser, { params: { id: agent.id } });
    await soon(() => expect(gateway.last(company)?.users.map(({ id }) => id)).not.toContain(agent.id));
    await api.must(owner, deleteSite, { params: { id: site.id } });
    await soon(() => expect(gateway.last(company)?.sites).toEqual([]));
    await api.must(owner, deletePolicy, { params: { id: policy.id } });
    await soon(() => expect(gateway.last(company)?.policies).toEqual([]));
    const versions = gateway.heard.flatMap(({ event, data }) =>
      event === 'company' && (data as CompanySnapshot).companyId === company
        ? [(data as CompanySnapshot).version]
        : [],
    );
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(versions.length);
  });

  test('the feed tells connected gateways that a company was deleted', async () => {
    const stranger = (await api.company()).token;
    const id = (await api.must(stranger, me)).company?.id ?? 0;
    const gateway = await listen();
    expect(gateway.last(id)).toBeDefined();
    await api.database.db.deleteFrom('companies').where('id', '=', id).execute();
    await soon(() => expect(gateway.heard).toContainEqual({ event: 'gone', data: { companyId: id } }));
    expect((await listen()).last(id)).toBeUndefined();
  });

  test('a change through one api process reaches the gateways that are connected to another process', async () => {
    const second = await startApi(inject('serverUrl'), { shared: api.database });
    await second.app.listen({ host: '127.0.0.1', port: 0 });
    const gateway = await listen(second);
    await api.must(owner, createSite, { body: { address: 'elsewhere.example.ru' } });
    await soon(() =>
      expect(gateway.last(company)?.sites.map(({ address }) => address)).toContain('elsewhere.example.ru'),
    );
    await second.app.close();
  });

  test('the feed sends changes made while its LISTEN connection was broken', async () => {
    const gateway = await listen();
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'listen propusk_policy%' and datname = current_database()`;
    expect((await api.database.pool.query(kill)).rowCount).toBe(1);
    await api.must(owner, createSite, { body: { address: 'unheard.example.ru' } });
    await expect
      .poll(() => gateway.last(company)?.sites.map(({ address }) => address))
      .toContain('unheard.example.ru');
  });

  test('the feed sends a heartbeat only while the database answers', async () => {
    const other = await startApi(inject('serverUrl'), { heartbeatMs: 50 });
    await other.app.listen({ host: '127.0.0.1', port: 0 });
    const gateway = await listen(other);
    const beats = () => gateway.heard.filter(({ event }) => event === 'heartbeat').length;
    await soon(() => expect(beats()).toBeGreaterThan(1));
    await other.database.shut();
    // Waits for a heartbeat that the api sent before the database stopped. The test counts only later heartbeats.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = beats();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(beats()).toBe(before);
    await other.database.reopen();
    await expect.poll(() => beats()).toBeGreaterThan(before);
    await other.close();
  });

  test('a heartbeat delivers a change that no NOTIFY announced', async () => {
    const other = await startApi(inject('serverUrl'), { heartbeatMs: 50 });
    await other.app.listen({ host: '127.0.0.1', port: 0 });
    const { token } = await other.company();
    const id = (await other.must(token, me)).company?.id ?? 0;
    const gateway = await listen(other);
    const { db } = other.database;
    await db.updateTable('companies').set({ policy_version: 77 }).where('id', '=', id).execute();
    await soon(() => expect(gateway.last(id)?.version).toBe(77));
    await other.close();
  });

  test('the feed ends its streams when a restored database has lower policy versions', async () => {
    const other = await startApi(inject('serverUrl'), { heartbeatMs: 50 });
    await other.app.listen({ host: '127.0.0.1', port: 0 });
    const { token } = await other.company();
    const id = (await other.must(token, me)).company?.id ?? 0;
    const { db } = other.database;
    const stand = (version: number) =>
      db.updateTable('companies').set({ policy_version: version }).where('id', '=', id).execute();
    await stand(77);
    const gateway = await listen(other);
    expect(gateway.last(id)?.version).toBe(77);
    await stand(5);
    await soon(() => expect(gateway.ended()).toBe(true));
    // A new stream delivers the restored policy version 5, and later the higher version 77.
    const again = await listen(other);
    expect(again.last(id)?.version).toBe(5);
    await stand(77);
    await soon(() => expect(again.last(id)?.version).toBe(77));
    await other.close();
  });

  test('the feed omits a proxy whose encrypted password was copied from another row', async () => {
    const input = { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-secret' };
    const first = await api.must(owner, createProxy, { body: input });
    const second = await api.must(owner, createProxy, { body: input });
    const { id } = await api.must(owner, createPolicy, { body: { name: 'Подмена', proxyId: second.id } });
    await api.database.pool.query(
      'update proxies set password_sealed = (select password_sealed from proxies where id = $1) where id = $2',
      [first.id, second.id],
    );
    const snapshot = (await listen()).last(company);
    expect(snapshot?.policies.map((policy) => policy.id)).toContain(id);
    expect(snapshot?.proxies.map((proxy) => proxy.id)).not.toContain(second.id);
  });

  test('the feed delivers the latest policy version after a burst of changes', async () => {
    const gateway = await listen();
    const { id } = await api.must(owner, createPolicy, { body: { name: 'Смена', proxyId: 1 } });
    const agent = await api.agent(owner);
    for (let turn = 0; turn < 40; turn++) {
      await api.must(owner, updatePolicy, {
        params: { id },
        body: { users: turn % 2 === 0 ? [agent.id] : [] },
      });
    }
    const at = await version();
    await soon(() => expect(gateway.last(company)?.version).toBe(at));
    expect(gateway.last(company)?.policies.find((policy) => policy.id === id)?.users).toEqual([]);
  });
});

describe('claims of companies to hosts', () => {
  const claimOf = async (token: string) => {
    const id = (await api.must(token, me)).company?.id ?? 0;
    return (
      await api.database.db.selectFrom('sites').select('claim').where('company_id', '=', id).execute()
    )[0]?.claim;
  };

  test('a company claims the host of a site while a policy on shared egress contains the site', async () => {
    const [early, late] = [(await api.company()).token, (await api.company()).token];
    const waiting = await api.must(early, createSite, { body: { address: '*.victim.ru' } });
    const policyOf = (token: string) =>
      api.must(token, createPolicy, { body: { name: 'Доступ', proxyId: 1 } });
    const [earlyPolicy, latePolicy] = [await policyOf(early), await policyOf(late)];
    await api.must(late, createSite, { body: { address: 'crm.victim.ru', politics: [latePolicy.id] } });
    expect(await claimOf(early)).toBeNull();
    const held = await claimOf(late);
    expect(held).toBeGreaterThan(0);
    // Claims are numbered in the order in which sites are added to policies. The older site is added to
    // a policy later, so the claim of this site has a higher number.
    const { pool } = api.database;
    await pool.query('insert into policy_sites select company_id, $1, id from sites where id = $2', [
      earlyPolicy.id,
      waiting.id,
    ]);
    expect(await claimOf(early)).toBeGreaterThan(held ?? 0);
    expect(await claimOf(late)).toBe(held);
    await api.must(early, deletePolicy, { params: { id: earlyPolicy.id } });
    expect(await claimOf(early)).toBeNull();
  });

  test("a policy on a company's own proxy claims no host until the policy moves to the platform's gateway", async () => {
    const token = (await api.company()).token;
    const input = { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-secret' };
    const proxy = await api.must(token, createProxy, { body: input });
    const policy = await api.must(token, createPolicy, { body: { name: 'Доступ', proxyId: proxy.id } });
    await api.must(token, createSite, { body: { address: 'moving.ru', politics: [policy.id] } });
    expect(await claimOf(token)).toBeNull();
    await api.must(token, updatePolicy, { params: { id: policy.id }, body: { proxyId: 1 } });
    expect(await claimOf(token)).toBeGreaterThan(0);
  });
});

test('ending visits through one api process reaches gateways that are connected to another process', async () => {
  const twin = await startApi(inject('serverUrl'), { shared: api.database });
  const gateway = await listen();
  const agent = await api.agent(owner);
  const tunnel: GatewayRecord = {
    ...{
      id: randomUUID(),
      kind: 'tunnel',
      startedAt: new Date().toISOString(),
      ms: 1,
      open: true,
      address: '',
    },
    ...{
      companyId: company,
      userId: agent.id,
      host: 'a.test',
      port: 443,
      reason: '',
      count: 1,
      up: 0,
      down: 0,
    },
  };
  const batch = { gateway: randomUUID(), run: randomUUID(), number: 1, records: [tunnel] };
  await api.must(testKeys.feed, feedRecords, { body: batch });
  await twin.must(owner, endVisits, { body: { user: agent.id } });
  await twin.must(owner, endVisits, { body: { record: tunnel.id } });
  const { token: stranger } = await api.company();
  for (const body of [{ user: agent.id }, { record: tunnel.id }])
    expect((await twin.call(stranger, endVisits, { body })).status).toBe(404);
  const ends = () => gateway.heard.filter(({ event }) => event === 'end').map(({ data }) => data);
  await soon(() =>
    expect(ends()).toEqual([
      { companyId: company, user: agent.id },
      { companyId: company, record: tunnel.id },
    ]),
  );
  await twin.close();
});

test('a policy for all sites applies only while its proxy allows all sites', async () => {
  const { db } = api.database;
  const token = (await api.company()).token;
  const allow = (all_sites: boolean) =>
    db.updateTable('proxies').set({ all_sites }).where('id', '=', 1).execute();
  await allow(true);
  const { id } = await api.must(token, createPolicy, {
    body: { name: 'Все сайты', proxyId: 1, allSites: true },
  });
  const agent = await api.agent(token, [id]);
  const before = await api.must(agent.token, myAccess);
  await allow(false);
  const after = await api.must(agent.token, myAccess);
  expect([before.allSites, after.allSites, after.version > before.version]).toEqual([true, false, true]);
});

describe('changes that gateways need raise the policy version', () => {
  test('the policy version ignores changes that no gateway needs', async () => {
    const agent = await api.agent(owner);
    const { id } = await api.must(owner, createPolicy, { body: { name: 'Тихая', proxyId: 1 } });
    const before = await version();
    await api.must(owner, updateUser, { params: { id: agent.id }, body: { name: 'Иное', surname: 'Имя' } });
    await api.must(owner, updatePolicy, { params: { id }, body: { name: 'Тихая река', users: [] } });
    await api.must(owner, companyUsers);
    expect(await version()).toBe(before);
  });

  test('a change of the platform proxy raises the policy version only of companies that use it', async () => {
    const idle = (await api.company()).token;
    const of = async (token: string) => (await api.must(token, myAccess)).version;
    const before = [await of(owner), await of(idle)];
    await api.database.db.updateTable('proxies').set({ port: 3129 }).where('direct', '=', true).execute();
    expect([(await of(owner)) > (before[0] ?? 0), await of(idle)]).toEqual([true, before[1]]);
  });
});

test('a user receives gateway credentials and only the sites of the user’s policies', async () => {
  const { id } = await api.must(owner, createPolicy, { body: { name: 'Доступ', proxyId: 1 } });
  await api.must(owner, createSite, { body: { address: 'own.example.ru:8443', politics: [id] } });
  await api.must(owner, createSite, { body: { address: '*.wide.example.ru', politics: [id] } });
  const agent = await api.agent(owner, [id]);
  const access = await api.must(agent.token, myAccess);
  expect(access).toMatchObject({
    gateway: { scheme: 'http', host: 'gate.test', port: 3128 },
    username: `u${agent.id}`,
    allSites: false,
    sites: ['*.wide.example.ru', 'own.example.ru:8443'],
    bypass: ['console.test'],
  });
  const lifetime = Date.parse(access.expiresAt) - Date.now();
  expect(Math.round(lifetime / 3_600_000)).toBe(24);
  // The gateway password is not accepted as the token of a console session.
  expect((await api.call(access.password, me)).status).toBe(401);
});
