import { decide } from '@propusk/access/decide';
import { canonicalHost } from '@propusk/access/host';
import { type AccessIndex, emptyIndex, putCompany } from '@propusk/access/snapshot';
import { type AccessLoss, policyLoss, siteLoss, userLoss } from '@propusk/contract/access-loss';
import * as bulk from '@propusk/contract/bulk';
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
  change: fc.record({ addUsers: sets(4), removeUsers: sets(4), addSites: sets(6), removeSites: sets(6) }),
  many: sets(6),
});
type Plan = typeof companies extends fc.Arbitrary<infer T> ? T : never;

/** Creates the company of a plan. The sites of RIVALS companies have the same addresses. */
async function create(plan: Plan, group: string, at: number) {
  const { db } = api.database;
  const rename = (address: string) => address.replace('test', `${group}${Math.floor(at / RIVALS)}.test`);
  const { id: companyId } = await insertCompany(db, `${group}${at}`);
  const person = (name: string, roles: ('CREATOR' | 'USER')[]) =>
    addUser(db, { companyId, email: `${name}@${group}${at}.test`, roles, hash: 'none' });
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
  return { companyId, token, users, sites, policies };
}

/** The difference between two results of `decide()` over the same users and sites. */
function differenceOf(some: ReadonlySet<string>, others: ReadonlySet<string>) {
  const pairs = [...some].filter((each) => !others.has(each)).map((each) => each.split(' '));
  return {
    users: new Set(pairs.map(([user]) => user)).size,
    sites: new Set(pairs.map(([, site]) => site)).size,
  };
}

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
        .filter(({ host, port }) => decide(index, user.id, host, port, Date.now()).allow)
        .map(({ id }) => `${user.id} ${id}`),
    ),
  );
}

test(
  'the predicted loss of a deletion equals the access that the gateway revokes, for random companies',
  async () => {
    await api.database.pool.query(`update proxies set all_sites = true where direct`);
    const index = emptyIndex();
    const seen = { site: 0, policy: 0, user: 0, losses: 0, allSites: 0 };
    for (const [at, plan] of fc.sample(companies, { numRuns: COMPANIES, seed: 16 }).entries()) {
      const { companyId, token, users, sites, policies } = await create(plan, 'loss', at);
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
      const hasAll = new Set(allSitesUsers(index, before));
      const taken = {
        ...differenceOf(had, has),
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

test(
  'the preview of a bulk change equals the access that the gateway revokes and grants, for random companies',
  async () => {
    await api.database.pool.query(`update proxies set all_sites = true where direct`);
    const index = emptyIndex();
    const seen = { lost: 0, gained: 0, allSites: 0, deleted: 0 };
    const removals = [
      ['users', bulk.usersLoss, bulk.deleteUsers],
      ['sites', bulk.sitesLoss, bulk.deleteSites],
      ['policies', bulk.policiesLoss, bulk.deletePolicies],
    ] as const;
    for (const [at, plan] of fc.sample(companies, { numRuns: COMPANIES, seed: 19 }).entries()) {
      const made = await create(plan, 'bulk', at);
      const { companyId, token, policies } = made;
      const state = async () => {
        const snapshot = await snapshotOf(companyId);
        putCompany(index, snapshot);
        return snapshot;
      };
      const compare = async (change: () => Promise<unknown>) => {
        const before = await state();
        const [had, hadAll] = [verdicts(index, before), allSitesUsers(index, before)];
        await change();
        await state();
        const [has, hasAll] = [verdicts(index, before), allSitesUsers(index, before)];
        const countOf = (some: number[], others: number[]) =>
          some.filter((id) => !others.includes(id)).length;
        return {
          lost: { ...differenceOf(had, has), allSites: countOf(hadAll, hasAll) },
          gained: { ...differenceOf(has, had), allSites: countOf(hasAll, hadAll) },
        };
      };
      const pick = (kind: 'users' | 'sites', which: readonly number[], without: readonly number[] = []) =>
        which.flatMap((one) => (without.includes(one) ? [] : (made[kind][one] ?? [])));
      const { addUsers, removeUsers, addSites, removeSites } = plan.change;
      const body = {
        addUsers: pick('users', addUsers),
        removeUsers: pick('users', removeUsers, addUsers),
        addSites: pick('sites', addSites),
        removeSites: pick('sites', removeSites, addSites),
      };
      if (Object.values(body).some((ids) => ids.length > 0)) {
        const parts = { params: { id: policies[plan.which % policies.length] ?? 0 }, body };
        const before = await snapshotOf(companyId);
        const predicted = await api.must(token, bulk.previewMembers, parts);
        expect(await snapshotOf(companyId), 'the preview changes nothing').toEqual(before);
        const effect = await compare(() => api.must(token, bulk.changeMembers, parts));
        expect(predicted, JSON.stringify([plan, body])).toEqual(effect);
        if (effect.lost.users > 0) seen.lost++;
        if (effect.gained.users > 0) seen.gained++;
        if (effect.lost.allSites + effect.gained.allSites > 0) seen.allSites++;
      }
      const [kind, loss, remove] = removals[at % 3] ?? removals[0];
      const ids = plan.many.flatMap((one) => made[kind][one] ?? []);
      if (ids.length === 0) continue;
      const predicted = await api.must(token, loss, { body: { ids } });
      const { lost } = await compare(() => api.must(token, remove, { body: { ids } }));
      expect(predicted, JSON.stringify([plan, kind, ids])).toEqual(lost);
      if (lost.users > 0) seen.deleted++;
    }
    // Enough random changes must affect access; otherwise the test would compare only zeros.
    expect(seen.lost).toBeGreaterThan(COMPANIES / 10);
    expect(seen.gained).toBeGreaterThan(COMPANIES / 10);
    expect(seen.allSites).toBeGreaterThan(COMPANIES / 40);
    expect(seen.deleted).toBeGreaterThan(COMPANIES / 8);
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
