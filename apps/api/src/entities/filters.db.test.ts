import { inviteUsers } from '@propusk/contract/invitations';
import { createPolicy, policyIds } from '@propusk/contract/policies';
import { createSites, listSites, type SiteQuery, siteIds } from '@propusk/contract/sites';
import { companyUsers, listUsers, type UserQuery, userIds } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
let home: Home;
let foreign: Home;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  home = await company();
  foreign = await company();
});
afterAll(() => api.close());

type Home = Awaited<ReturnType<typeof company>>;
const ABSENT = 999_999;

/** Creates a company with four sites of different verdicts. A policy has the first site and one of two agents. */
async function company() {
  const { token } = await api.company();
  const [agent, idle] = [await api.agent(token), await api.agent(token)];
  const names = ['checked', 'drifted', 'waiting', 'new'];
  const { rows } = await api.must(token, createSites, {
    body: names.map((name) => ({ address: `${name}.example.ru` })),
  });
  const sites = rows.map(({ id }) => id);
  const [first = 0, second = 0, third = 0] = sites;
  const body = { name: 'Продажи', proxyId: 1, users: [agent.id], sites: [first] };
  const policy = (await api.must(token, createPolicy, { body })).id;
  const other = (await api.must(token, createPolicy, { body: { ...body, users: [], name: 'Вторая' } })).id;
  await api.database.pool.query(
    `insert into site_checks (company_id, site_id, state, shown_verdict, shown_at, drifted)
      select s.company_id, s.id, g.state, g.verdict, now(), g.drifted
      from (values ($1::bigint, 'done', 'protected', false), ($2, 'done', 'open', true), ($3, 'waiting', null, false))
        as g (id, state, verdict, drifted) join sites s on s.id = g.id
      on conflict (company_id, site_id) do update set state = excluded.state, shown_verdict = excluded.shown_verdict,
        shown_at = excluded.shown_at, drifted = excluded.drifted`,
    [first, second, third],
  );
  return { token, agent, idle, sites, policy, other };
}

/** The places in `home.sites` of the sites that a query returns. */
async function places(token: string, query: SiteQuery): Promise<number[]> {
  const { rows, count } = await api.must(token, listSites, { query });
  expect(rows).toHaveLength(count);
  return rows.map(({ id }) => home.sites.indexOf(id));
}

const people = async (query: UserQuery) =>
  (await api.must(home.token, companyUsers, { query })).rows.map(({ id }) => id);

test.each<[SiteQuery, number[]]>([
  [{ protection: 'protected' }, [0]],
  [{ protection: 'open' }, [1]],
  [{ protection: 'drifted' }, [1]],
  [{ protection: 'unchecked' }, [2, 3]],
  [{ protection: 'closed' }, []],
  [{ access: 'none' }, [1, 2, 3]],
  [{ access: 'none', protection: 'unchecked', name: 'new' }, [3]],
  [{ access: 'none', order: 'DESC' }, [3, 2, 1]],
])('the list of sites and the ids contain the sites of the filter %j', async (query, expected) => {
  expect(await places(home.token, query)).toEqual(expected);
  const { ids } = await api.must(home.token, siteIds, { query });
  expect(ids).toEqual(expected.map((place) => home.sites[place]));
});

test('a filter composes with pages, and the count includes all matching sites', async () => {
  const query = { access: 'none', take: 2, page: 2 } as const;
  const { rows, count } = await api.must(home.token, listSites, { query });
  expect([rows.map(({ id }) => id), count]).toEqual([[home.sites[3]], 3]);
});

test('filters of users select by policy, role, invitation and absence of policies', async () => {
  await api.must(home.token, inviteUsers, { body: { emails: ['invited@filters.test'] } });
  expect(await people({ policy: home.policy })).toEqual([home.agent.id]);
  expect(await people({ policy: home.policy, access: 'none' })).toEqual([]);
  const { rows } = await api.must(home.token, companyUsers, { query: { invited: 'true' } });
  expect(rows.map(({ email }) => email)).toEqual(['invited@filters.test']);
  const pending = rows.map(({ id }) => id);
  expect(await people({ role: 'USER', access: 'none' })).toEqual([home.idle.id, ...pending]);
  const owners = await people({ role: 'CREATOR' });
  expect(owners).toHaveLength(1);
  const { ids } = await api.must(home.token, userIds, { query: { access: 'none' } });
  expect(ids).toEqual([...owners, home.idle.id, ...pending]);
  expect((await api.must(home.token, policyIds, { query: { order: 'DESC', name: 'ая' } })).ids).toEqual([
    home.other,
  ]);
});

test('an ADMIN lists the users of all companies by role and invitation', async () => {
  const token = await createAdmin(api);
  const { rows } = await api.must(token, listUsers, { query: { role: 'CREATOR', take: 100 } });
  expect(rows.every(({ roles }) => roles.some(({ value }) => value === 'CREATOR'))).toBe(true);
  expect(rows.length).toBeGreaterThan(1);
  expect((await api.must(token, listSites, { query: { policy: foreign.policy } })).count).toBe(1);
});

test('a filter by the policy of another company returns the same as a filter by an absent policy', async () => {
  for (const policy of [foreign.policy, ABSENT]) {
    expect(await places(home.token, { policy })).toEqual([]);
    expect((await api.must(home.token, siteIds, { query: { policy } })).ids).toEqual([]);
    expect(await people({ policy })).toEqual([]);
  }
});

test('filters by what a USER may not see return no sites of this USER', async () => {
  const { token } = home.agent;
  expect(await places(token, {})).toEqual([0]);
  expect(await places(token, { policy: home.policy })).toEqual([0]);
  // The second policy also opens the site, but it does not apply to this user.
  for (const query of [
    { policy: home.other },
    { protection: 'protected' },
    { protection: 'unchecked' },
    { access: 'none' },
  ] as const)
    expect(await places(token, query)).toEqual([]);
  expect((await api.call(token, siteIds)).status).toBe(403);
});

test('an unknown filter value gets 400', async () => {
  const wrong = { protection: 'safe' } as unknown as SiteQuery;
  expect((await api.call(home.token, listSites, { query: wrong })).status).toBe(400);
});
