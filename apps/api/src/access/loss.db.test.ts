import { decide } from '@propusk/access/decide';
import { canonicalHost } from '@propusk/access/host';
import { type AccessIndex, emptyIndex, putCompany } from '@propusk/access/snapshot';
import { type AccessLoss, policyLoss, siteLoss, userLoss } from '@propusk/contract/access-loss';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { createPolicy, deletePolicy, listPolicies } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { createSite, deleteSite, listSites } from '@propusk/contract/sites';
import { deleteUser, getUser } from '@propusk/contract/users';
import { startApi, type TestApi, testEncryption } from '@propusk/test-kit/api/api';
import { addSession, addUser, insertCompany } from '@propusk/test-kit/matrix/inserts';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readSnapshot } from '../feed/store.ts';

const COMPANIES = quickOrSoak(200, 1_000);
/** The number of companies that have claims to the same hosts. */
const RIVALS = 10;

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const removals = {
  site: { loss: siteLoss, remove: deleteSite },
  policy: { loss: policyLoss, remove: deletePolicy },
  user: { loss: userLoss, remove: deleteUser },
} as const;

const names = ['a.test', 'b.a.test', '*.a.test', 'www.a.test', 'c.test', '*.c.test', 'a.test:8443'];
const sets = (of: number) => fc.subarray(Array.from({ length: of }, (_, at) => at));
const companies = fc.record({
  sites: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 6 }),
  policies: fc.array(
    fc.record({ shared: fc.boolean(), allSites: fc.boolean(), users: sets(4), sites: sets(6) }),
    { minLength: 1, maxLength: 4 },
  ),
  kind: fc.constantFrom('site', 'policy', 'user' as const),
  which: fc.nat(5),
});

async function snapshotOf(companyId: number): Promise<CompanySnapshot> {
  const source = { db: api.database.db, encryption: testEncryption, log: api.app.log };
  return (await readSnapshot(source, companyId)) ?? expect.fail('the company is gone');
}

/** Returns the pairs of user and site for which `decide()` allows a request, as strings. */
function verdicts(index: AccessIndex, { users, sites }: CompanySnapshot): Set<string> {
  const requests = sites.flatMap(({ id, address }) => {
    const [pattern = '', port] = address.split(':');
    const host = canonicalHost(pattern.replace('*.', 'other.')) ?? expect.fail(address);
    const ports = port === undefined ? [80, 443] : [Number(port)];
    return ports.map((each) => ({ id, host, port: each }));
  });
  return new Set(
    users.flatMap((user) =>
      requests
        .filter(({ host, port }) => decide(index, user.id, host, port).allow)
        .map(({ id }) => `${user.id} ${id}`),
    ),
  );
}

test(
  'the predicted loss of a deletion equals the access that the gateway revokes, for random companies',
  async () => {
    const { db, pool } = api.database;
    await pool.query(`update proxies set all_sites = true where direct`);
    const index = emptyIndex();
    const seen = { site: 0, policy: 0, user: 0, losses: 0, allSites: 0 };
    for (const [at, plan] of fc.sample(companies, { numRuns: COMPANIES, seed: 16 }).entries()) {
      const rename = (address: string) => address.replace('test', `g${Math.floor(at / RIVALS)}.test`);
      const { id: companyId } = await insertCompany(db, `loss${at}`);
      const person = (name: string, roles: ('CREATOR' | 'USER')[]) =>
        addUser(db, { companyId, email: `${name}@loss${at}.test`, roles, hash: 'none' });
      const token = await addSession(db, await person('owner', ['CREATOR']));
      const users: number[] = [];
      for (const name of ['one', 'two', 'three', 'four']) users.push(await person(name, ['USER']));
      const proxy = { host: 'proxy.test', port: '3128', username: 'login', password: 'upstream' };
      const own = (await api.must(token, createProxy, { body: { ...proxy } })).id;
      const sites: number[] = [];
      for (const address of plan.sites)
        sites.push((await api.must(token, createSite, { body: { address: rename(address) } })).id);
      for (const [n, { shared, allSites, ...links }] of plan.policies.entries())
        await api.must(token, createPolicy, {
          body: {
            name: `Политика ${n}`,
            proxyId: shared ? 1 : own,
            allSites: shared && allSites,
            users: links.users.flatMap((one) => users[one] ?? []),
            sites: links.sites.flatMap((one) => sites[one] ?? []),
          },
        });
      const policies = (await api.must(token, listPolicies, { query: {} })).rows.map(({ id }) => id);
      const targets = { site: sites, policy: policies, user: users }[plan.kind];
      const params = { id: targets[plan.which % targets.length] ?? 0 };

      const before = await snapshotOf(companyId);
      putCompany(index, before);
      const had = verdicts(index, before);
      const hadAll = allSitesUsers(index, before);
      const predicted: AccessLoss = await api.must(token, removals[plan.kind].loss, { params });
      expect(await snapshotOf(companyId), 'the question changes nothing').toEqual(before);
      await api.must(token, removals[plan.kind].remove, { params });
      putCompany(index, await snapshotOf(companyId));
      const has = verdicts(index, before);
      const gone = [...had].filter((each) => !has.has(each)).map((each) => each.split(' '));
      const hasAll = new Set(allSitesUsers(index, before));
      const taken = {
        users: new Set(gone.map(([user]) => user)).size,
        sites: new Set(gone.map(([, site]) => site)).size,
        allSites: hadAll.filter((user) => !hasAll.has(user)).length,
      };
      expect(predicted, JSON.stringify(plan)).toEqual(taken);
      seen[plan.kind]++;
      if (taken.users > 0) seen.losses++;
      if (taken.allSites > 0) seen.allSites++;
    }
    // Enough random deletions must revoke access; otherwise the test would compare only zeros.
    for (const kind of ['site', 'policy', 'user'] as const) expect(seen[kind]).toBeGreaterThan(COMPANIES / 5);
    expect(seen.losses).toBeGreaterThan(COMPANIES / 4);
    expect(seen.allSites).toBeGreaterThan(COMPANIES / 40);
  },
  quickOrSoak(240_000, 600_000),
);

const allSitesUsers = ({ users }: AccessIndex, before: CompanySnapshot): number[] =>
  before.users.map(({ id }) => id).filter((id) => users.get(id)?.policies.some(({ allSites }) => allSites));

test('the preview of a deletion gets 404 for a user or site of another company', async () => {
  const owner = await api.company();
  const agent = await api.agent(owner.token);
  const site = await api.must(owner.token, createSite, { body: { address: 'crm.refused.test' } });
  const stranger = await api.company();
  const ask = (params: { id: number }, token = owner.token) => api.call(token, userLoss, { params });
  expect((await ask({ id: agent.id })).status).toBe(200);
  expect((await ask({ id: agent.id }, stranger.token)).error.code).toBe('not_found');
  expect((await api.call(stranger.token, siteLoss, { params: { id: site.id } })).error.code).toBe(
    'not_found',
  );
  expect(await api.must(owner.token, getUser, { params: { id: agent.id } })).toMatchObject({ id: agent.id });
  expect((await api.must(owner.token, listSites, { query: {} })).count).toBe(1);
});
