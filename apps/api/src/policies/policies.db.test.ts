import { me } from '@propusk/contract/me';
import { createPolicy, deletePolicy, listPolicies, updatePolicy } from '@propusk/contract/policies';
import { createProxy, deleteProxy, listProxies } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { companyUsers, deleteUser, updateUser } from '@propusk/contract/users';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let owner: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  owner = (await api.company()).token;
});
afterAll(() => api.close());

const upstream = { host: 'proxy.example.ru', port: '8080', username: 'login', password: 'canary-secret' };

describe('proxies', () => {
  test('the only proxy in a new database is the gateway itself', async () => {
    const { rows, count } = await api.must(owner, listProxies);
    expect(count).toBe(1);
    expect(rows[0]).toMatchObject({
      direct: true,
      host: 'gate.test',
      port: '3128',
      settings: { type: 'default', allSites: false },
      company: null,
    });
  });

  test('no reply and no database column contains a proxy password in plain text', async () => {
    const proxy = await api.must(owner, createProxy, { body: upstream });
    expect(proxy).toMatchObject({
      host: 'proxy.example.ru',
      port: '8080',
      settings: { type: 'users', allSites: false },
    });
    const replies = JSON.stringify([proxy, await api.must(owner, listProxies)]);
    const { rows } = await api.database.pool.query(
      "select p::text, encode(password_sealed, 'escape') as raw from proxies p",
    );
    expect(replies + JSON.stringify(rows)).not.toContain(upstream.password);
  });

  test.each([
    ['host', 'abc', 'Не короче 4 символов'],
    ['host', 'http://proxy.ru/', 'Здесь есть недопустимые символы'],
    ['port', '999', 'Целое число от 1000 до 65535'],
    ['port', 65536, 'Целое число от 1000 до 65535'],
    ['port', '80.5', 'Целое число от 1000 до 65535'],
    ['username', 'abc', 'Не короче 4 символов'],
    ['password', 'abc', 'Не короче 4 символов'],
  ])('the api refuses a proxy with %s = %j', async (field, value, message) => {
    const { status, error } = await api.call(owner, createProxy, { body: { ...upstream, [field]: value } });
    expect([status, error.fields]).toEqual([400, { [field]: message }]);
  });

  test('deleting a proxy in use gets 409 with the names of its policies', async () => {
    const proxy = await api.must(owner, createProxy, { body: upstream });
    const policy = await api.must(owner, createPolicy, { body: { name: 'Склад', proxyId: proxy.id } });
    const refused = await api.call(owner, deleteProxy, { params: { id: proxy.id } });
    expect([refused.status, refused.error.code]).toEqual([409, 'proxy_in_use']);
    expect(refused.error.message).toContain('«Склад»');
    await api.must(owner, deletePolicy, { params: { id: policy.id } });
    await api.must(owner, deleteProxy, { params: { id: proxy.id } });
    expect(await api.call(owner, deleteProxy, { params: { id: 1 } })).toMatchObject({
      status: 403,
      error: { code: 'default_proxy' },
    });
  });
});

describe('policies', () => {
  test('a new policy without a description gets its name as the description', async () => {
    expect(await api.must(owner, createPolicy, { body: { name: 'Бухгалтерия', proxyId: 1 } })).toMatchObject({
      description: 'Бухгалтерия',
      proxy: [{ id: 1, host: 'gate.test', direct: true }],
      users: [],
    });
  });

  test('a policy whose description is emptied gets its name as the description', async () => {
    const body = { name: 'Закупки', description: 'Склад и заказы', proxyId: 1 };
    const { id } = await api.must(owner, createPolicy, { body });
    const emptied = await api.must(owner, updatePolicy, {
      params: { id },
      body: { name: 'Закупка', description: '' },
    });
    expect(emptied.description).toBe('Закупка');
  });

  test('a policy accepts only proxies of its company or the platform, and only users of its company', async () => {
    const stranger = (await api.company()).token;
    const foreignProxy = await api.must(stranger, createProxy, { body: upstream });
    const foreigner = await api.agent(stranger);
    const proxies = await Promise.all(
      [foreignProxy.id, 999_999].map((proxyId) =>
        api.call(owner, createPolicy, { body: { name: 'Чужой прокси', proxyId } }),
      ),
    );
    expect(proxies[0]?.error).toEqual(proxies[1]?.error);
    expect([proxies[0]?.status, Object.keys(proxies[0]?.error.fields ?? {})]).toEqual([400, ['proxyId']]);
    const people = await Promise.all(
      [foreigner.id, 999_999].map((id) =>
        api.call(owner, createPolicy, { body: { name: 'Чужой человек', proxyId: 1, users: [id] } }),
      ),
    );
    expect(people[0]?.error).toEqual(people[1]?.error);
    expect([people[0]?.status, Object.keys(people[0]?.error.fields ?? {})]).toEqual([400, ['users']]);
    expect(JSON.stringify(await api.must(owner, listPolicies))).not.toContain('Чуж');
  });

  test('a policy for all sites needs a proxy that allows all sites', async () => {
    const body = { name: 'Все сайты', proxyId: 1, allSites: true };
    expect(await api.call(owner, createPolicy, { body })).toMatchObject({
      status: 409,
      error: { code: 'all_sites_refused' },
    });
    await api.database.db.updateTable('proxies').set({ all_sites: true }).where('id', '=', 1).execute();
    expect(await api.must(owner, createPolicy, { body })).toMatchObject({ allSites: true });
    await api.database.db.updateTable('proxies').set({ all_sites: false }).where('id', '=', 1).execute();
  });

  test('editing either the user or the policy can add a user to a policy', async () => {
    const { id } = await api.must(owner, createPolicy, { body: { name: 'Поддержка', proxyId: 1 } });
    const agent = await api.agent(owner, [id]);
    const names = async () => (await api.must(agent.token, me)).politics.map(({ name }) => name);
    expect(await names()).toEqual(['Поддержка']);
    await api.must(owner, updateUser, { params: { id: agent.id }, body: { politics: [] } });
    expect(await names()).toEqual([]);
    const policy = await api.must(owner, updatePolicy, { params: { id }, body: { users: [agent.id] } });
    expect(policy.users.map((user) => user.id)).toEqual([agent.id]);
    expect(await names()).toEqual(['Поддержка']);
  });

  test('a USER sees only the policies that apply to that user, and no other users in these policies', async () => {
    const { id } = await api.must(owner, createPolicy, { body: { name: 'Отдел кадров', proxyId: 1 } });
    const agent = await api.agent(owner, [id]);
    await api.agent(owner, [id]);
    const { rows } = await api.must(agent.token, listPolicies);
    expect(rows.map(({ name, users }) => [name, users.map((user) => user.id)])).toEqual([
      ['Отдел кадров', [agent.id]],
    ]);
    expect(
      (await api.call(agent.token, updatePolicy, { params: { id }, body: { name: 'Моя политика' } })).status,
    ).toBe(403);
  });

  test('an edit or deletion of another company’s policy gets 404, as for an absent policy', async () => {
    const { id } = await api.must(owner, createPolicy, { body: { name: 'Секретная', proxyId: 1 } });
    const stranger = (await api.company()).token;
    for (const endpoint of [updatePolicy, deletePolicy]) {
      const body = endpoint === updatePolicy ? { body: { name: 'Захвачена' } } : {};
      const foreign = await api.call(stranger, endpoint, { params: { id }, ...body });
      const absent = await api.call(stranger, endpoint, { params: { id: 999_999 }, ...body });
      expect([foreign.status, foreign.error]).toEqual([absent.status, absent.error]);
      expect(foreign.status).toBe(404);
    }
    expect(JSON.stringify(await api.must(owner, listPolicies))).toContain('Секретная');
  });
});

describe('users', () => {
  test('a search for users ignores the case of Cyrillic letters', async () => {
    const agent = await api.agent(owner);
    await api.must(owner, updateUser, { params: { id: agent.id }, body: { name: 'Иван', surname: 'Ёлкин' } });
    for (const name of ['иван', 'ИВАН', 'ёЛК']) {
      const { rows } = await api.must(owner, companyUsers, { query: { name } });
      expect(
        rows.map(({ id }) => id),
        name,
      ).toContain(agent.id);
    }
  });

  test('an owner cannot change the email of another owner', async () => {
    const { token, email } = await api.company();
    const self = await api.must(token, me);
    const second = await api.agent(token);
    await api.database.db
      .updateTable('users')
      .set({ roles: ['CREATOR'] })
      .where('id', '=', second.id)
      .execute();
    const body = { email: 'taken-over@company.test' };
    expect(await api.call(second.token, updateUser, { params: { id: self.id }, body })).toMatchObject({
      status: 403,
      error: { code: 'protected_user' },
    });
    expect((await api.must(token, me)).email).toBe(email);
  });

  test('an owner can delete an agent, but not their own account', async () => {
    const self = await api.must(owner, me);
    expect(await api.call(owner, deleteUser, { params: { id: self.id } })).toMatchObject({
      status: 403,
      error: { code: 'own_account' },
    });
    const agent = await api.agent(owner);
    await api.must(owner, deleteUser, { params: { id: agent.id } });
    expect((await api.call(agent.token, me)).status).toBe(401);
    expect((await api.call(owner, deleteUser, { params: { id: agent.id } })).status).toBe(404);
  });
});

test('database constraints refuse a policy with a user, site or proxy of another company', async () => {
  const stranger = (await api.company()).token;
  const foreign = await api.must(stranger, createPolicy, { body: { name: 'Чужая политика', proxyId: 1 } });
  const foreignProxy = await api.must(stranger, createProxy, { body: upstream });
  const own = await api.must(owner, createPolicy, { body: { name: 'Своя политика', proxyId: 1 } });
  const site = await api.must(owner, createSite, { body: { address: 'cross.example.ru' } });
  const company = (await api.must(owner, me)).company?.id;
  const { pool } = api.database;
  const attempts: [string, unknown[]][] = [
    ['insert into policy_sites values ($1, $2, $3)', [company, foreign.id, site.id]],
    [
      'insert into policy_users select $1, $2, id from users where company_id <> $1 limit 1',
      [company, own.id],
    ],
    ['update policies set proxy_id = $1 where id = $2', [foreignProxy.id, own.id]],
    [
      'update policies set proxy_id = $1, proxy_owner_id = (select owner_id from proxies where id = $1) where id = $2',
      [foreignProxy.id, own.id],
    ],
  ];
  for (const [statement, values] of attempts) {
    await expect(pool.query(statement, values), statement).rejects.toMatchObject({
      code: expect.stringMatching(/^23/),
    });
  }
});
