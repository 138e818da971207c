import { listAudit } from '@propusk/contract/audit';
import type { Input } from '@propusk/contract/endpoint';
import { me } from '@propusk/contract/me';
import { createPolicy, listPolicies } from '@propusk/contract/policies';
import { createSite, createSites, listSites, previewSites } from '@propusk/contract/sites';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';

type SiteBody = Input<(typeof createSite)['body']>;

let api: TestApi;
let owner: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
beforeEach(async () => {
  owner = (await api.company()).token;
});
afterAll(() => api.close());

const addresses = async () => (await api.must(owner, listSites)).rows.map(({ address }) => address);

test('a bulk create adds a site with its policies for every line', async () => {
  const policy = await api.must(owner, createPolicy, { body: { name: 'Склад', proxyId: 1 } });
  const { rows, count } = await api.must(owner, createSites, {
    body: [
      { address: 'https://CRM.example.ru/login', politics: [policy.id] },
      { address: 'почта.рф' },
      { address: '*.example.com' },
    ],
  });
  expect(count).toBe(3);
  expect(rows.map(({ address, politics }) => [address, politics.map(({ id }) => id)])).toEqual([
    ['crm.example.ru', [policy.id]],
    ['xn--80a1acny.xn--p1ai', []],
    ['*.example.com', []],
  ]);
});

test('a bulk create with invalid lines names each of them and adds nothing', async () => {
  await api.must(owner, createSite, { body: { address: 'there.example.ru' } });
  const refused = await api.call(owner, createSites, {
    body: [
      { address: 'good.example.ru' },
      { address: '10.0.0.1' },
      { address: 'GOOD.example.ru' },
      { address: 'localhost' },
    ],
  });
  expect([refused.status, refused.error.code]).toEqual([400, 'bad_input']);
  expect(refused.error.fields).toEqual({
    '1.address': 'Укажите имя сайта: IP-адрес не подходит',
    '2.address': 'Этот сайт уже есть в строке 1',
    '3.address': 'Укажите полное имя сайта, например crm.example.ru',
  });
  const taken = await api.call(owner, createSites, {
    body: [{ address: 'good.example.ru' }, { address: 'there.example.ru' }],
  });
  expect([taken.status, taken.error]).toMatchObject([
    409,
    { code: 'site_exists', fields: { '1.address': 'there.example.ru уже в списке' } },
  ]);
  expect(await addresses()).toEqual(['there.example.ru']);
});

test('a bulk create with another company’s policy gives the same error as with a nonexistent policy', async () => {
  const stranger = (await api.company()).token;
  const foreign = await api.must(stranger, createPolicy, { body: { name: 'Чужая политика', proxyId: 1 } });
  const [other, absent] = await Promise.all(
    [foreign.id, 999_999].map((id) =>
      api.call(owner, createSites, {
        body: [{ address: 'ok.example.ru' }, { address: 'bad.example.ru', politics: [id] }],
      }),
    ),
  );
  expect([other?.status, other?.error]).toEqual([absent?.status, absent?.error]);
  expect([other?.status, Object.keys(other?.error.fields ?? {})]).toEqual([400, ['1.politics']]);
  expect(await addresses()).toEqual([]);
});

test('a bulk create fills a company up to its limit of 1,000 sites and not beyond', async () => {
  const lines = Array.from({ length: 1000 }, (_, i) => ({ address: `s${i}.example.ru` }));
  expect((await api.must(owner, createSites, { body: lines })).count).toBe(1000);
  expect(await api.call(owner, createSite, { body: { address: 'more.example.ru' } })).toMatchObject({
    status: 409,
    error: { code: 'too_many_objects' },
  });
  expect(await api.call(owner, createSites, { body: [{ address: 'more.example.ru' }] })).toMatchObject({
    status: 409,
    error: { code: 'too_many_objects' },
  });
  for (const body of [[], [...lines, { address: 'x.example.ru' }]]) {
    expect((await api.call(owner, createSites, { body })).status).toBe(400);
  }
});

test('a site is created together with its new policy, or neither is created', async () => {
  const { id: user } = await api.must(owner, me);
  const newPolicy = { name: 'crm.example.ru', proxyId: 1, users: [user] };
  const foreign = (await api.company()).token;
  const { id: stranger } = await api.must(foreign, me);
  const create = (body: SiteBody) => api.call(owner, createSite, { body });
  await api.must(owner, createSite, { body: { address: 'there.example.ru' } });
  const refused = [
    await create({ address: 'there.example.ru', newPolicy }),
    await create({ address: 'crm.example.ru', newPolicy: { ...newPolicy, users: [stranger] } }),
    await api.call(owner, createSites, {
      body: [{ address: 'crm.example.ru', newPolicy: { ...newPolicy, proxyId: 999_999 } }],
    }),
    await api.call(owner, createSites, {
      body: [{ address: 'crm.example.ru' }, { address: 'wiki.example.ru', newPolicy }],
    }),
  ];
  expect(refused.map(({ status, error }) => [status, Object.keys(error.fields ?? {})])).toEqual([
    [409, ['address']],
    [400, ['newPolicy.users']],
    [400, ['0.newPolicy.proxyId']],
    [400, ['newPolicy']],
  ]);
  expect((await api.must(owner, listPolicies)).count).toBe(0);
  expect(await addresses()).toEqual(['there.example.ru']);

  const site = await api.must(owner, createSite, { body: { address: 'crm.example.ru', newPolicy } });
  const body = [
    { address: 'wiki.example.ru', newPolicy: { ...newPolicy, name: 'Вики' } },
    { address: 'docs.example.ru' },
  ];
  const { rows } = await api.must(owner, createSites, { body });
  const [crm, wiki] = (await api.must(owner, listPolicies)).rows;
  expect([site, ...rows].map(({ politics }) => politics)).toEqual([
    [{ id: crm?.id, name: 'crm.example.ru' }],
    [{ id: wiki?.id, name: 'Вики' }],
    [{ id: wiki?.id, name: 'Вики' }],
  ]);
  expect([crm, wiki].map((policy) => policy?.users.map(({ id }) => id))).toEqual([[user], [user]]);
  const events = (await api.must(owner, listAudit)).rows
    .slice(0, 5)
    .map(({ object }) => [object.kind, object.name]);
  expect(events).toContainEqual(['policy', 'Вики']);
  expect(events).toContainEqual(['site', 'docs.example.ru']);
});

test('the dry run of a bulk create gets the errors of the bulk create and adds nothing', async () => {
  await api.must(owner, createSite, { body: { address: 'there.example.ru' } });
  const cases = [
    [{ address: 'good.example.ru' }],
    [{ address: 'good.example.ru' }, { address: '10.0.0.1' }],
    [{ address: 'good.example.ru' }, { address: 'there.example.ru' }],
    [{ address: 'good.example.ru', politics: [999_999] }],
    Array.from({ length: 1000 }, (_, i) => ({ address: `s${i}.example.ru` })),
  ];
  const answers = [];
  for (const body of cases) answers.push(await api.call(owner, previewSites, { body }));
  expect(answers.map(({ status }) => status)).toEqual([204, 400, 409, 400, 409]);
  expect(await addresses()).toEqual(['there.example.ru']);
  for (const [at, body] of cases.entries()) {
    if (at === 0) continue;
    expect((await api.call(owner, createSites, { body })).error).toEqual(answers[at]?.error);
  }
});
