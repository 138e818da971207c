import { learnEgress } from '@propusk/contract/lock';
import { createPolicy } from '@propusk/contract/policies';
import { checkProxy, createProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { parseNetworks } from '@propusk/dial/addresses';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { startLiar } from '@propusk/test-kit/api/probe-world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'), {
    settings: {
      allowNetworks: parseNetworks('127.0.0.0/22') ?? { v4: [], v6: [] },
      hosts: new Map([
        ['dead.example.test', ['127.0.0.9']],
        ['liar.example.test', ['127.0.0.1']],
      ]),
    },
  });
});
afterAll(() => api.close());

const proxyAt = (token: string, host: string, port: number) =>
  api.must(token, createProxy, { body: { host, port, username: 'user', password: 'pass' } });

/** Creates a site with this many policies, each with a proxy that accepts no connections. */
async function siteWithProxies(count: number) {
  const { token } = await api.company();
  const { id: proxyId } = await proxyAt(token, 'dead.example.test', 9999);
  const { id: policyId } = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId } });
  const body = { address: 'crm.example.ru', politics: [policyId] };
  const { id } = await api.must(token, createSite, { body });
  await api.database.pool.query(
    `with more as (
       insert into proxies (company_id, type, host, port) select company_id, type, host, port + n
         from proxies, generate_series(1, $2::int - 1) n where id = $1 returning company_id, owner_id, id
     ), theirs as (
       insert into policies (company_id, name, description, proxy_id, proxy_owner_id)
         select company_id, 'Путь ' || id, '', id, owner_id from more returning company_id, id
     )
     insert into policy_sites (company_id, policy_id, site_id) select company_id, id, $3 from theirs`,
    [proxyId, count, id],
  );
  return { token, id };
}

test('one call determines the egress addresses of all 80 proxies of a site', async () => {
  const { token, id } = await siteWithProxies(80);
  const { egress } = await api.must(token, learnEgress, { params: { id } });
  expect(egress).toHaveLength(80);
  expect(egress.filter(({ problem }) => problem === null)).toEqual([]);
  // The first call has used up the user's rate limit, so a second call is refused.
  expect((await api.call(token, learnEgress, { params: { id } })).status).toBe(429);
});

test('a lookup of egress addresses counts once for each proxy against the user’s rate limit', async () => {
  const { token, id } = await siteWithProxies(25);
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await api.call(token, learnEgress, { params: { id } })).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  const { id: proxyId } = await proxyAt(token, 'dead.example.test', 9999);
  await api.must(token, checkProxy, { params: { id: proxyId } });
});

test('silent proxies of one company do not delay other companies', async () => {
  const silent = await startLiar(() => {});
  const [{ token: slow }, { token: quick }] = [await api.company(), await api.company()];
  const theirs = await proxyAt(slow, 'liar.example.test', silent.port);
  const ours = await proxyAt(quick, 'dead.example.test', 9999);
  const waiting = Array.from({ length: 20 }, () => api.call(slow, checkProxy, { params: { id: theirs.id } }));
  await expect.poll(() => silent.connections()).toBeGreaterThan(3);
  const elapsed = stopwatch();
  await api.must(quick, checkProxy, { params: { id: ours.id } });
  expect(elapsed()).toBeLessThan(5_000);
  expect(silent.connections()).toBe(4);
  await silent.stop();
  await Promise.all(waiting);
});
