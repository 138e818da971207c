import { updateMyCompany } from '@propusk/contract/companies';
import type { Endpoint } from '@propusk/contract/endpoint';
import { me } from '@propusk/contract/me';
import { createPolicy, deletePolicy, updatePolicy } from '@propusk/contract/policies';
import { createProxy, getProxy, updateProxy } from '@propusk/contract/proxies';
import { createSite, deleteSiteByAddress, getSite, updateSite } from '@propusk/contract/sites';
import { deleteUser, getUser, updateUser } from '@propusk/contract/users';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let owner: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  owner = (await api.company()).token;
});
afterAll(() => api.close());

const upstream = { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-secret' };
let serial = 0;

interface Subject {
  /** Creates an entity of the tested kind. @returns the id of the entity */
  make(): Promise<number>;
  edit: Endpoint;
  change: object;
}

const subjects: Record<string, Subject> = {
  site: {
    make: async () =>
      (await api.must(owner, createSite, { body: { address: `v${++serial}.example.ru` } })).id,
    edit: updateSite,
    change: { politics: [] },
  },
  proxy: {
    make: async () => (await api.must(owner, createProxy, { body: upstream })).id,
    edit: updateProxy,
    change: { username: 'another' },
  },
  policy: {
    make: async () => (await api.must(owner, createPolicy, { body: { name: 'Склад', proxyId: 1 } })).id,
    edit: updatePolicy,
    change: { name: 'Бухгалтерия' },
  },
  user: {
    make: async () => (await api.agent(owner)).id,
    edit: updateUser,
    change: { surname: 'Ёлкин' },
  },
  company: { make: async () => 0, edit: updateMyCompany, change: { companySite: 'other.test' } },
};

function put(edit: Endpoint, id: number, body: object, ifMatch?: string) {
  return api.call(owner, edit, {
    params: { id },
    body,
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
  });
}

describe.each(Object.entries(subjects))('%s', (_, { make, edit, change }) => {
  test('an edit with a stale If-Match gets 412 and changes nothing', async () => {
    const id = await make();
    const first = await put(edit, id, {});
    const tag = String(first.headers.etag);
    expect(tag).toMatch(/^"\d+"$/);
    const second = await put(edit, id, {}, tag);
    expect([second.status, second.headers.etag]).not.toEqual([200, tag]);
    const stale = await put(edit, id, change, tag);
    expect([stale.status, stale.error.code]).toEqual([412, 'changed_meanwhile']);
    const after = await put(edit, id, {});
    expect(after.body).toMatchObject({
      ...(second.body as object),
      version: expect.any(Number),
      updatedAt: expect.any(String),
    });
    expect(Number(String(after.headers.etag).slice(1, -1))).toBe(
      Number(String(second.headers.etag).slice(1, -1)) + 1,
    );
    expect((await put(edit, id, change)).status).toBe(200);
  });

  test('exactly one of many concurrent edits of one version succeeds', async () => {
    const id = await make();
    const tag = String((await put(edit, id, {})).headers.etag);
    const replies = await Promise.all(Array.from({ length: 8 }, () => put(edit, id, change, tag)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array(7).fill(412),
    ]);
  });
});

test.each([
  ['*', 200],
  ['"none", "1"', 200],
  ['W/"1"', 200],
  ['"none"', 412],
  ['""', 412],
  ['1', 400],
  ['"1" "2"', 400],
  ['', 400],
])('an edit with If-Match: %s gets %i', async (header, status) => {
  const { id } = await api.must(owner, createSite, { body: { address: `m${++serial}.example.ru` } });
  expect((await put(updateSite, id, { politics: [] }, header)).status).toBe(status);
});

test('adding a user to a policy raises the versions of the user and the policy', async () => {
  const { id, version } = await api.must(owner, createPolicy, { body: { name: 'Поддержка', proxyId: 1 } });
  const agent = await api.agent(owner);
  const { headers } = await api.call(owner, getUser, { params: { id: agent.id } });
  await api.must(owner, updateUser, { params: { id: agent.id }, body: { politics: [id] } });
  expect((await put(updatePolicy, id, { users: [] }, `"${version}"`)).status).toBe(412);
  expect((await put(updateUser, agent.id, { politics: [] }, String(headers.etag))).status).toBe(412);
  const reply = await put(updatePolicy, id, { name: 'Поддержка и склад' });
  expect(reply.body).toMatchObject({ users: [{ id: agent.id }] });
});

test('adding a site to a policy raises the version of the policy', async () => {
  const policy = await api.must(owner, createPolicy, { body: { name: 'Закупки', proxyId: 1 } });
  await api.must(owner, createSite, { body: { address: 'kept.example.ru', politics: [policy.id] } });
  const tag = `"${policy.version}"`;
  expect((await put(updatePolicy, policy.id, { name: 'Закупка' }, tag)).status).toBe(412);
});

test('a deletion with a stale If-Match gets 412', async () => {
  const { id } = await api.must(owner, createPolicy, { body: { name: 'Временная', proxyId: 1 } });
  const remove = (tag: string) =>
    api.call(owner, deletePolicy, { params: { id }, headers: { 'if-match': tag } });
  expect((await remove('"77"')).status).toBe(412);
  expect((await remove('"1"')).status).toBe(204);
  await api.must(owner, createSite, { body: { address: 'gone.example.ru' } });
  const params = { address: 'https://GONE.example.ru/login' };
  expect(
    (await api.call(owner, deleteSiteByAddress, { params, headers: { 'if-match': '"9"' } })).status,
  ).toBe(412);
  expect((await api.call(owner, deleteSiteByAddress, { params })).status).toBe(204);
  expect((await api.call(owner, deleteSiteByAddress, { params })).status).toBe(404);
});

test('a read returns the version as ETag', async () => {
  const site = await api.must(owner, createSite, { body: { address: 'read.example.ru' } });
  const proxy = await api.must(owner, createProxy, { body: upstream });
  for (const [endpoint, id] of [
    [getSite, site.id],
    [getProxy, proxy.id],
  ] as const) {
    expect((await api.call(owner, endpoint, { params: { id } })).headers.etag).toBe('"1"');
  }
  expect((await api.call(owner, me)).headers.etag).toMatch(/^"\d+"$/);
});

test('a deletion raises the version of every entity that listed the deleted entity', async () => {
  const policy = await api.must(owner, createPolicy, { body: { name: 'Первая', proxyId: 1 } });
  const agent = await api.agent(owner, [policy.id]);
  const site = await api.must(owner, createSite, {
    body: { address: 'listed.example.ru', politics: [policy.id] },
  });
  const other = await api.must(owner, createPolicy, {
    body: { name: 'Вторая', proxyId: 1, users: [agent.id] },
  });
  const person = await api.must(owner, getUser, { params: { id: agent.id } });
  await api.must(owner, deletePolicy, { params: { id: policy.id } });
  expect((await put(updateUser, agent.id, {}, `"${person.version}"`)).status).toBe(412);
  expect((await put(updateSite, site.id, {}, `"${site.version}"`)).status).toBe(412);
  await api.must(owner, deleteUser, { params: { id: agent.id } });
  expect((await put(updatePolicy, other.id, {}, `"${other.version}"`)).status).toBe(412);
});
