import { createPolicy } from '@propusk/contract/policies';
import { createSite, createSites, listSites } from '@propusk/contract/sites';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';

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
