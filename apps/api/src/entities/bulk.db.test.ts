import { type AuditRow, listAudit } from '@propusk/contract/audit';
import * as bulk from '@propusk/contract/bulk';
import { limits } from '@propusk/contract/limits';
import { me } from '@propusk/contract/me';
import { createPolicy, getPolicy, listPolicies } from '@propusk/contract/policies';
import { createSites, listSites } from '@propusk/contract/sites';
import { companyUsers, getUser, listUsers } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

let serial = 0;

/** Creates a company with sites, agents and an empty policy. */
async function create({ sites, agents }: { sites: number; agents: number }) {
  const { token } = await api.company();
  const { id: owner, company } = await api.must(token, me);
  const name = `bulk${serial++}`;
  const companyId = company?.id ?? 0;
  await api.database.pool.query(
    `insert into users (company_id, email, name, surname, password_hash, roles)
     select $1, 'agent' || n || '@' || $2 || '.test', '', '', 'none', '{USER}' from generate_series(1, $3) n`,
    [companyId, name, agents],
  );
  const { rows } = await api.must(token, companyUsers, {});
  const body = Array.from({ length: sites }, (_, n) => ({ address: `s${n}.${name}.test` }));
  const made = sites === 0 ? [] : (await api.must(token, createSites, { body })).rows;
  const policy = await api.must(token, createPolicy, { body: { name: 'Продажи', proxyId: 1 } });
  const users = rows.map(({ id }) => id).filter((id) => id !== owner);
  return { token, owner, companyId, policy, users, sites: made.map(({ id }) => id), name };
}

/** The audit events of a company since its creation that match an action, oldest first. */
async function eventsOf(token: string, action: AuditRow['action'], most = 100): Promise<AuditRow[]> {
  const query = { action, take: 100, order: 'ASC' } as const;
  const pages = Array.from({ length: Math.ceil(most / 100) }, (_, at) => at + 1);
  const lists = await Promise.all(
    pages.map((page) => api.must(token, listAudit, { query: { ...query, page } })),
  );
  return lists.flatMap(({ rows }) => rows);
}

const change = (token: string, id: number, body: object) =>
  api.call(token, bulk.changeMembers, { params: { id }, body });

test('a change of members adds and removes exactly the named users and sites, and records each of them', async () => {
  const { token, policy, users, sites, name } = await create({ sites: 4, agents: 4 });
  const { id } = policy;
  await change(token, id, { addUsers: users.slice(0, 2), addSites: sites.slice(0, 2) });
  const before = await eventsOf(token, 'changed');
  const reply = await change(token, id, {
    addUsers: users.slice(1, 3),
    removeUsers: [users[0], users[3]],
    addSites: sites.slice(1),
    removeSites: sites.slice(0, 1),
  });
  expect(reply.status).toBe(200);
  expect(reply.body.users.map((user) => user.id)).toEqual(users.slice(1, 3));
  expect(reply.body.sites.map((site) => site.id)).toEqual(sites.slice(1));
  expect(reply.headers.etag).toBe(`"${reply.body.version}"`);
  const events = (await eventsOf(token, 'changed')).slice(before.length);
  const site = (n: number) => `s${n}.${name}.test`;
  const agent = (n: number) => `agent${n}@${name}.test`;
  expect(events.map(({ object, changes }) => [object.kind, object.name, changes])).toEqual([
    [
      'policy',
      'Продажи',
      {
        users: { added: [agent(3)], removed: [agent(1)] },
        sites: { added: [site(2), site(3)], removed: [site(0)] },
      },
    ],
    ['user', agent(3), { politics: { added: ['Продажи'] } }],
    ['user', agent(1), { politics: { removed: ['Продажи'] } }],
    ['site', site(2), { politics: { added: ['Продажи'] } }],
    ['site', site(3), { politics: { added: ['Продажи'] } }],
    ['site', site(0), { politics: { removed: ['Продажи'] } }],
  ]);
});

test('a change of members raises only the versions of rows that change, and the same change again changes nothing', async () => {
  const { token, policy, users } = await create({ sites: 0, agents: 2 });
  const versions = async () => {
    const rows = await Promise.all(users.map((id) => api.must(token, getUser, { params: { id } })));
    const { version } = await api.must(token, getPolicy, { params: { id: policy.id } });
    return [version, ...rows.map((user) => user.version)];
  };
  expect((await change(token, policy.id, { addUsers: users.slice(0, 1) })).status).toBe(200);
  expect(await versions()).toEqual([policy.version + 1, 2, 1]);
  const events = (await eventsOf(token, 'changed')).length;
  const body = { addUsers: users.slice(0, 1), removeUsers: users.slice(1) };
  expect((await change(token, policy.id, body)).status).toBe(200);
  expect(await versions()).toEqual([policy.version + 1, 2, 1]);
  expect((await eventsOf(token, 'changed')).length).toBe(events);
});

test('a change of members with absent rows names each of them by its index and changes nothing', async () => {
  const { token, policy, users, sites } = await create({ sites: 1, agents: 1 });
  const stranger = await create({ sites: 1, agents: 1 });
  const bodyWith = (user: number | undefined, site: number | undefined) => ({
    addUsers: [users[0], user],
    removeUsers: [888_888],
    addSites: [site, sites[0]],
  });
  const foreign = await change(token, policy.id, bodyWith(stranger.users[0], stranger.sites[0]));
  const absent = await change(token, policy.id, bodyWith(999_998, 999_999));
  expect([foreign.status, foreign.error.code]).toEqual([400, 'bad_input']);
  expect(foreign.error.fields).toEqual({
    'addUsers.1': 'Не найдено: возможно, уже удалено',
    'removeUsers.0': 'Не найдено: возможно, уже удалено',
    'addSites.0': 'Не найдено: возможно, уже удалено',
  });
  expect(absent.error).toEqual(foreign.error);
  expect(await api.must(token, getPolicy, { params: { id: policy.id } })).toEqual(policy);
});

test.each([
  ['no id', {}, 'addUsers'],
  ['a repeated id', { addSites: [3, 3] }, 'addSites'],
  ['an id both to add and to remove', { addUsers: [3], removeUsers: [3] }, 'removeUsers'],
  ['more than 1,000 ids', { addUsers: Array.from({ length: 1_001 }, (_, n) => n + 1) }, 'addUsers'],
])('a change of members with %s is refused', async (_, body, field) => {
  const { token, policy } = await create({ sites: 0, agents: 0 });
  const { status, error } = await change(token, policy.id, body);
  expect([status, Object.keys(error.fields ?? {})]).toEqual([400, [field]]);
});

test('a change of members that exceeds the links of the company is refused and changes nothing', async () => {
  const { token, companyId, users } = await create({ sites: 0, agents: 1_000 });
  await api.database.pool.query(
    `insert into policies (company_id, name, description, proxy_id, proxy_owner_id)
     select $1, 'Политика ' || n, '', 1, 0 from generate_series(1, 20) n`,
    [companyId],
  );
  await api.database.pool.query(
    `insert into policy_users (company_id, policy_id, user_id)
     select $1, p.id, u.id from policies p join users u on u.company_id = p.company_id and u.roles = '{USER}'
     where p.company_id = $1 and p.name <> 'Продажи'`,
    [companyId],
  );
  expect(limits.linksPerCompany).toBe(20_000);
  const { rows } = await api.must(token, listPolicies, { query: { name: 'Продажи' } });
  const refused = await change(token, rows[0]?.id ?? 0, { addUsers: users.slice(0, 1) });
  expect([refused.status, refused.error.code]).toEqual([409, 'too_many_objects']);
  expect((await api.must(token, getPolicy, { params: { id: rows[0]?.id ?? 0 } })).users).toEqual([]);
});

test('a bulk deletion deletes all rows, records each of them, and raises the versions of linked rows', async () => {
  const { token, policy, users, sites, name } = await create({ sites: 3, agents: 3 });
  await change(token, policy.id, { addUsers: users, addSites: sites });
  await api.must(token, bulk.deleteSites, { body: { ids: sites.slice(0, 2).toReversed() } });
  await api.must(token, bulk.deleteUsers, { body: { ids: users.slice(0, 2) } });
  const left = await api.must(token, getPolicy, { params: { id: policy.id } });
  expect([left.users, left.sites].map((list) => list.map(({ id }) => id))).toEqual([[users[2]], [sites[2]]]);
  expect(left.version).toBe(policy.version + 3);
  await api.must(token, bulk.deletePolicies, { body: { ids: [policy.id] } });
  expect((await api.must(token, listPolicies, {})).count).toBe(0);
  expect((await api.must(token, getUser, { params: { id: users[2] ?? 0 } })).version).toBe(3);
  const events = await eventsOf(token, 'deleted');
  expect(events.map(({ object }) => `${object.kind} ${object.name}`)).toEqual([
    `site s0.${name}.test`,
    `site s1.${name}.test`,
    `user agent1@${name}.test`,
    `user agent2@${name}.test`,
    'policy Продажи',
  ]);
});

test('a bulk deletion with rows that must stay names each of them and deletes nothing', async () => {
  const { token, owner, users } = await create({ sites: 0, agents: 3 });
  const stranger = await create({ sites: 0, agents: 1 });
  await api.database.pool.query(`update users set roles = '{CREATOR}' where id = $1`, [users[2]]);
  const refuse = (foreign: number | undefined) =>
    api.call(token, bulk.deleteUsers, {
      body: { ids: [users[0], owner, foreign, users[1], users[2]].map(Number) },
    });
  const [other, absent] = [await refuse(stranger.users[0]), await refuse(999_999)];
  expect([other.status, other.error]).toMatchObject([
    400,
    {
      code: 'bad_input',
      fields: {
        'ids.1': 'Нельзя удалить самого себя',
        'ids.2': 'Не найдено: возможно, уже удалено',
        'ids.4': 'Владельца компании и администратора нельзя удалить отсюда',
      },
    },
  ]);
  expect(Object.keys(other.error.fields ?? {})).toHaveLength(3);
  expect(absent.error).toEqual(other.error);
  const preview = await api.call(token, bulk.usersLoss, { body: { ids: [Number(users[0]), owner] } });
  expect([preview.status, Object.keys(preview.error.fields ?? {})]).toEqual([400, ['ids.1']]);
  expect((await api.must(token, companyUsers, {})).count).toBe(4);
  expect(await eventsOf(token, 'deleted')).toEqual([]);
});

test('an owner who is also an ADMIN cannot change rows of another company with bulk calls', async () => {
  const admin = await createAdmin(api);
  const { token, companyId, policy, owner } = await create({ sites: 1, agents: 1 });
  const other = await create({ sites: 1, agents: 1 });
  await api.database.pool.query(`update users set roles = '{CREATOR,ADMIN}' where id = $1`, [owner]);
  const members = { addUsers: other.users, addSites: other.sites };
  const replies = [
    await change(token, policy.id, members),
    await api.call(token, bulk.deleteUsers, { body: { ids: other.users } }),
    await api.call(token, bulk.deleteSites, { body: { ids: other.sites } }),
    await api.call(token, bulk.deletePolicies, { body: { ids: [other.policy.id] } }),
    await api.call(token, bulk.usersLoss, { body: { ids: other.users } }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  expect((await change(token, other.policy.id, { addUsers: other.users })).status).toBe(404);
  const probed = await api.must(token, bulk.probeSites, { body: { ids: other.sites } });
  expect([probed.queued, probed.refused.map(({ code }) => code)]).toEqual([[], ['not_found']]);
  const again = await api.must(token, bulk.inviteManyAgain, { body: { ids: other.users } });
  expect([again.invitations, again.refused.map(({ code }) => code)]).toEqual([[], ['not_found']]);
  const query = { take: 100, name: other.name };
  expect((await api.must(admin, listUsers, { query })).count).toBe(1);
  expect(companyId).not.toBe(other.companyId);
});

test('520 sites are added to a policy, and then 520 sites and 500 users are deleted', async () => {
  const { token, policy, users, sites } = await create({ sites: 520, agents: 500 });
  const params = { id: policy.id };
  await api.must(token, bulk.previewMembers, { params, body: { addSites: sites } });
  await api.must(token, bulk.changeMembers, { params, body: { addSites: sites, addUsers: users } });
  await api.must(token, bulk.probeSites, { body: { ids: sites } });
  await api.must(token, bulk.usersLoss, { body: { ids: users } });
  await api.must(token, bulk.deleteUsers, { body: { ids: users } });
  await api.must(token, bulk.deleteSites, { body: { ids: sites } });
  expect([
    (await api.must(token, listSites, {})).count,
    (await api.must(token, companyUsers, {})).count,
  ]).toEqual([0, 1]);
  const { rows } = await api.database.pool.query(
    `select action, object_kind as kind, count(*)::int from audit
     where actor_email = $1 and action not in ('created', 'registered', 'signed_in') group by 1, 2 order by 1, 2`,
    [(await api.must(token, me)).email],
  );
  expect(rows.map(({ action, kind, count }) => `${action} ${kind} ${count}`)).toEqual([
    'changed policy 1',
    'changed site 520',
    'changed user 500',
    'check_asked site 520',
    'deleted site 520',
    'deleted user 500',
  ]);
});
