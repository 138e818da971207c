import { createPolicy } from '@propusk/contract/policies';
import { createProxy, updateProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { readBreaks, readProbeProxy, readSiteProxies, saveEgress } from './egress-store.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const query = async (text: string, values: unknown[] = []) =>
  (await api.database.pool.query(text, values)).rows;
const wayOf = async (id: number) => {
  const way = await readProbeProxy(api.database.db, testEncryption, id);
  if (way === null) throw new Error('no proxy');
  return way;
};

/** Saves addresses as the result of an egress lookup. @param way the proxy row that the lookup used; default: the current row */
async function learn(id: number, addresses: string[], way?: Awaited<ReturnType<typeof wayOf>>) {
  const proxy = way ?? (await wayOf(id));
  const seen = { reachable: true, credentialsAccepted: true, roundTripMs: 1, problem: null };
  await api.database.db
    .transaction()
    .execute((tx) => saveEgress(tx, proxy, { ...seen, addresses, unanswered: [] }));
}
const addressesOf = async (id: number) =>
  (await query('select address from proxy_egress where proxy_id = $1 order by address', [id])).map(
    ({ address }) => address,
  );
const movedAt = async (id: number) =>
  (await query('select moved_at from proxy_learning where proxy_id = $1', [id]))[0]?.moved_at ?? null;

/** A company with six sites in two policies on one proxy, and a seventh site in a third policy on another proxy. */
async function companyOf(proxyId: (token: string) => Promise<number>) {
  const { token, email } = await api.company();
  const id = await proxyId(token);
  const other = await ownProxy(token);
  const policy = async (name: string, by: number) =>
    (await api.must(token, createPolicy, { body: { name, proxyId: by } })).id;
  const policies = [await policy('Склад', id), await policy('Касса', id)];
  const sites: number[] = [];
  for (let i = 0; i < 6; i++) {
    const politics = policies.filter((_, place) => place === i % 2);
    sites.push((await api.must(token, createSite, { body: { address: `s${i}.example.ru`, politics } })).id);
  }
  const politics = [await policy('Другая', other)];
  const apart = (await api.must(token, createSite, { body: { address: 'apart.example.ru', politics } })).id;
  const [{ company_id: companyId }] = await query('select company_id from users where email = $1', [email]);
  return { token, id, companyId: Number(companyId), sites, apart };
}
const ownProxy = async (token: string) =>
  (
    await api.must(token, createProxy, {
      body: { host: 'proxy.example.ru', port: 3128, username: 'user', password: 'pass' },
    })
  ).id;
const shared = async () => Number((await query('select id from proxies where direct'))[0]?.id);

/** Marks every site as probed an hour ago and due in a day. */
const probed = () =>
  query(`insert into site_checks (company_id, site_id, state, finished_at, next_at, shown_verdict, shown_at)
    select company_id, id, 'done', now() - interval '1 hour', now() + interval '1 day', 'protected', now() - interval '1 hour'
    from sites on conflict (company_id, site_id) do update set state = 'done', next_at = excluded.next_at`);
const dueSites = async () =>
  (await query('select site_id from site_checks where next_at <= now() order by site_id')).map(
    ({ site_id: id }) => Number(id),
  );

beforeEach(() => query('delete from site_checks'));

describe('a new egress address of a proxy', () => {
  test('a new egress address of a proxy schedules probes of its sites in every company', async () => {
    const first = await companyOf(shared);
    const second = await companyOf(shared);
    const { id } = first;
    await learn(id, ['192.0.2.1']);
    await probed();
    await learn(id, ['192.0.2.2']);
    expect(await dueSites()).toEqual([...first.sites, ...second.sites]);
    for (const { companyId, sites } of [first, second]) {
      const breaks = await readBreaks(api.database.db, companyId, [id]);
      expect(breaks.map((site) => site.id)).toEqual(sites);
    }
  });

  test('a new egress address of a proxy schedules probes of the sites that a policy for all sites covers', async () => {
    const company = await companyOf(ownProxy);
    const { id, companyId, sites } = company;
    await api.must(company.token, createPolicy, { body: { name: 'Все сайты', proxyId: id } });
    await query('update proxies set all_sites = true where id = $1', [id]);
    await query(`update policies set all_sites = true where name = 'Все сайты' and company_id = $1`, [
      companyId,
    ]);
    const siteId = company.sites[0] ?? 0;
    const [way] = await readSiteProxies(api.database.db, testEncryption, { companyId, siteId });
    expect(way?.politics.map(({ name }) => name)).toEqual(['Склад', 'Все сайты']);
    await learn(id, ['192.0.2.1']);
    await probed();
    await learn(id, ['192.0.2.2']);
    expect(await dueSites()).toEqual([...sites, company.apart]);
    const breaks = await readBreaks(api.database.db, companyId, [id]);
    expect(breaks.map((site) => site.id)).toEqual([...sites, company.apart]);
  });
});

describe('a change of a proxy during a request to the echo endpoint', () => {
  test.each([
    ['host', { host: 'elsewhere.example.ru', password: 'session-2' }],
    ['port', { port: 3129, password: 'session-2' }],
    ['username', { username: 'session-2' }],
    ['password', { password: 'session-2' }],
  ])('an egress result of the old proxy is discarded after a change of its %s', async (_, body) => {
    const { token, id } = await companyOf(ownProxy);
    await learn(id, ['192.0.2.1']);
    const before = await wayOf(id);
    const [{ succeeded_at: succeeded }] = await query(
      'select succeeded_at from proxy_learning where proxy_id = $1',
      [id],
    );
    await api.must(token, updateProxy, { params: { id }, body });
    await learn(id, ['192.0.2.2'], before);
    expect(await addressesOf(id)).toEqual(['192.0.2.1']);
    expect(await query('select succeeded_at from proxy_learning where proxy_id = $1', [id])).toEqual([
      { succeeded_at: succeeded },
    ]);
    await learn(id, ['192.0.2.2']);
    expect(await addressesOf(id)).toContain('192.0.2.2');
  });

  test('a proxy with a new host drops the egress addresses of the old host', async () => {
    const { token, id } = await companyOf(ownProxy);
    await learn(id, ['192.0.2.1']);
    await api.must(token, updateProxy, {
      params: { id },
      body: { host: 'elsewhere.example.ru', password: 'session-1' },
    });
    await learn(id, ['192.0.2.2']);
    expect(await addressesOf(id)).toEqual(['192.0.2.2']);
  });
});

describe('a proxy with several egress addresses', () => {
  test('a proxy that alternates between two egress addresses keeps both addresses', async () => {
    const { id } = await companyOf(ownProxy);
    await learn(id, ['192.0.2.1']);
    expect(await movedAt(id)).toBeNull();
    await learn(id, ['192.0.2.2']);
    const moved = await movedAt(id);
    expect(moved).not.toBeNull();
    await probed();
    for (let call = 0; call < 6; call++) {
      await learn(id, [`192.0.2.${1 + (call % 2)}`]);
      expect(await addressesOf(id)).toEqual(['192.0.2.1', '192.0.2.2']);
    }
    expect(await movedAt(id)).toEqual(moved);
    expect(await dueSites()).toEqual([]);
  });

  test('a proxy drops an egress address that was not seen for a week', async () => {
    const { id } = await companyOf(ownProxy);
    await learn(id, ['192.0.2.1']);
    await learn(id, ['192.0.2.2']);
    const moved = await movedAt(id);
    await query(
      `update proxy_egress set confirmed_at = now() - interval '8 days' where proxy_id = $1 and address = '192.0.2.1'`,
      [id],
    );
    await learn(id, ['192.0.2.2']);
    expect(await addressesOf(id)).toEqual(['192.0.2.2']);
    expect(await movedAt(id)).toEqual(moved);
  });

  test('a proxy keeps its newest 32 egress addresses', async () => {
    const { id } = await companyOf(ownProxy);
    for (let call = 1; call <= 40; call++) await learn(id, [`192.0.2.${call}`]);
    const kept = await addressesOf(id);
    expect(kept).toHaveLength(32);
    expect(kept).toContain('192.0.2.40');
    expect(kept).not.toContain('192.0.2.1');
    await probed();
    await query(`update site_checks set finished_at = now() - interval '1 hour'`);
    await learn(id, ['192.0.2.41']);
    expect(await dueSites()).toEqual([]);
  });
});
