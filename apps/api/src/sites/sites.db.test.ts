import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import {
  createSite,
  createSites,
  deleteSite,
  deleteSiteByAddress,
  getSite,
  listSites,
  updateSite,
} from '@propusk/contract/sites';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
let owner: string;
let policy: number;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  owner = (await api.company()).token;
  policy = (await api.must(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1 } })).id;
});
afterAll(() => api.close());

const addresses = async (token: string, query = {}) =>
  (await api.must(token, listSites, { query })).rows.map(({ address }) => address);

test('a create stores the host of a pasted URL and links the site to the given policies', async () => {
  const site = await api.must(owner, createSite, {
    body: { address: 'https://CRM.Example.ru/x?y', politics: [policy] },
  });
  expect(site).toMatchObject({ address: 'crm.example.ru', politics: [{ id: policy, name: 'Продажи' }] });
  expect(site.createdAt).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect((await api.must(owner, listSites)).rows).toContainEqual(site);
});

test('a duplicate site gets 409 site_exists with the field address', async () => {
  await api.must(owner, createSite, { body: { address: 'twice.example.ru' } });
  const again = await api.call(owner, createSite, { body: { address: 'HTTPS://twice.example.ru/' } });
  expect([again.status, again.error.code, again.error.fields]).toEqual([
    409,
    'site_exists',
    { address: 'twice.example.ru уже в списке' },
  ]);
});

test.each(['10.0.0.1', 'localhost', 'co.uk', 'мой сайт', ''])(
  'the api refuses %j as a site',
  async (address) => {
    const { status, error } = await api.call(owner, createSite, { body: { address } });
    expect([status, error.code]).toEqual([400, 'bad_input']);
    expect(error.fields?.address).toMatch(/^[А-Я]/);
  },
);

test('creating a site with another company’s policy gives the same error as with a nonexistent policy', async () => {
  const stranger = (await api.company()).token;
  const foreign = (await api.must(stranger, createPolicy, { body: { name: 'Чужая', proxyId: 1 } })).id;
  const attempt = (id: number) =>
    api.call(owner, createSite, { body: { address: 'linked.example.ru', politics: [id] } });
  const [absent, other] = [await attempt(999_999), await attempt(foreign)];
  expect(absent.status).toBe(400);
  expect([other.status, other.error]).toEqual([absent.status, absent.error]);
  expect(await addresses(owner)).not.toContain('linked.example.ru');
});

test('the deletion of another company’s site gets the same 404 as the deletion of an absent site', async () => {
  const stranger = (await api.company()).token;
  const site = await api.must(owner, createSite, { body: { address: 'private.example.ru' } });
  const foreign = await api.call(stranger, deleteSite, { params: { id: site.id } });
  const absent = await api.call(stranger, deleteSite, { params: { id: 999_999 } });
  expect([foreign.status, foreign.error]).toEqual([absent.status, absent.error]);
  expect(foreign.status).toBe(404);
  expect(await addresses(stranger)).toEqual([]);
  expect(await addresses(owner)).toContain('private.example.ru');
});

test('a USER lists only sites in a policy that applies to that user, and cannot create or delete a site', async () => {
  const agent = await api.agent(owner, [policy]);
  const idle = await api.agent(owner);
  expect(await addresses(agent.token)).toEqual(['crm.example.ru']);
  expect(await addresses(idle.token)).toEqual([]);
  expect((await api.call(agent.token, createSite, { body: { address: 'new.example.ru' } })).status).toBe(403);
  const [site] = (await api.must(agent.token, listSites)).rows;
  expect((await api.call(agent.token, deleteSite, { params: { id: site?.id ?? 0 } })).status).toBe(403);
});

test('listSites applies page, take, order and name, and refuses invalid values', async () => {
  const other = (await api.company()).token;
  for (const name of ['a', 'b']) await api.must(other, createSite, { body: { address: `${name}.page.ru` } });
  for (let n = 0; n < 11; n++) await api.must(other, createSite, { body: { address: `n${n}.many.ru` } });
  expect((await api.must(other, listSites)).rows).toHaveLength(13);
  const page = await api.must(other, listSites, { query: { page: 2, take: 10, order: 'DESC', name: '' } });
  expect([page.count, page.rows.map(({ address }) => address)]).toEqual([
    13,
    ['n0.many.ru', 'b.page.ru', 'a.page.ru'],
  ]);
  expect(await addresses(other, { name: 'MANY' })).toHaveLength(10);
  expect(await addresses(other, { name: '%' })).toEqual([]);
  expect(await addresses(other, { name: '_' })).toEqual([]);
  await api.must(other, createSite, { body: { address: 'with_line.ru' } });
  expect(await addresses(other, { name: '_' })).toEqual(['with_line.ru']);
  await api.must(other, createSite, { body: { address: '*.Сайт.пример.рф:8443' } });
  expect(await addresses(other, { name: 'САЙТ.при' })).toEqual(['*.xn--80aswg.xn--e1afmkfd.xn--p1ai:8443']);
  for (const query of [
    { page: 0 },
    { page: '1e3' },
    { take: 101 },
    { take: 0 },
    { order: 'asc' },
    { page: -1 },
  ]) {
    expect(
      (await api.call(other, listSites, { query: query as { page: number } })).status,
      JSON.stringify(query),
    ).toBe(400);
  }
});

test('an edit replaces the policies and the address of a site', async () => {
  const { id } = await api.must(owner, createSite, { body: { address: 'later.example.ru' } });
  const opened = await api.must(owner, updateSite, { params: { id }, body: { politics: [policy] } });
  expect(opened.politics.map((one) => one.id)).toEqual([policy]);
  const mended = await api.must(owner, updateSite, {
    params: { id },
    body: { address: 'https://Mended.example.ru/' },
  });
  expect([mended.address, mended.politics.length]).toEqual(['mended.example.ru', 1]);
  expect(await addresses(owner, { name: 'mended' })).toEqual(['mended.example.ru']);
  const taken = await api.call(owner, updateSite, { params: { id }, body: { address: 'crm.example.ru' } });
  expect([taken.status, taken.error.code]).toEqual([409, 'site_exists']);
  const closed = await api.must(owner, updateSite, { params: { id }, body: { politics: [] } });
  expect([closed.address, closed.politics]).toEqual(['mended.example.ru', []]);
  const stranger = (await api.company()).token;
  const change = async (site: number) => {
    const { status, body } = await api.call(stranger, updateSite, {
      params: { id: site },
      body: { politics: [] },
    });
    return { status, body };
  };
  const missing = await change(999_999);
  expect(await change(id)).toEqual(missing);
  expect(missing.status).toBe(404);
});

test('a new site with a symbol in its name is refused, but a stored site with a symbol can be edited', async () => {
  const { token } = await api.company();
  const companyId = (await api.must(token, me)).company?.id;
  for (const address of ['😀.ru', 'a☃.example.ru', 'xn--e28h.ru', 'xn--a.ru', '*.a♥b.ru', '☃_a.ru']) {
    const { status, error } = await api.call(token, createSite, { body: { address } });
    expect([status, Object.keys(error.fields ?? {})]).toEqual([400, ['address']]);
    const many = await api.call(token, createSites, { body: [{ address }] });
    expect([many.status, Object.keys(many.error.fields ?? {})]).toEqual([400, ['0.address']]);
  }
  for (const address of [
    'my_app.example.ru',
    'почта-1c.example.ru',
    'пример.рф',
    'моя_почта.рф',
    'paral·lel.cat',
  ])
    await api.must(token, createSite, { body: { address } });
  const { rows } = await api.database.pool.query(
    `insert into sites (company_id, address, shown_address) values ($1, 'xn--e28h.ru', '😀.ru') returning id`,
    [companyId],
  );
  const params = { id: rows[0].id };
  await api.must(token, updateSite, { params, body: { address: '😀.ru/login', politics: [] } });
  const moved = await api.call(token, updateSite, { params, body: { address: 'a☃.ru' } });
  expect(moved.status).toBe(400);
  await api.must(token, deleteSiteByAddress, { params: { address: '😀.ru' } });
});

test('the deletion of a site in a policy removes only this site', async () => {
  const site = await api.must(owner, createSite, {
    body: { address: 'gone.example.ru', politics: [policy] },
  });
  await api.must(owner, deleteSite, { params: { id: site.id } });
  expect(await addresses(owner)).not.toContain('gone.example.ru');
  expect(await addresses(owner)).toContain('crm.example.ru');
  expect((await api.call(owner, deleteSite, { params: { id: site.id } })).status).toBe(404);
});

test('a deletion by address gets 404 when a concurrent edit has moved the site to another address', async () => {
  const { token } = await api.company();
  const companyId = (await api.must(token, me)).company?.id;
  const site = await api.must(token, createSite, { body: { address: 'old.example.ru' } });
  const client = await api.database.pool.connect();
  await client.query('begin');
  await client.query('select from companies where id = $1 for no key update', [companyId]);
  await client.query("update sites set address = 'precious.example.ru' where id = $1", [site.id]);
  const deleting = api.call(token, deleteSiteByAddress, { params: { address: 'old.example.ru' } });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await client.query('commit');
  client.release();
  expect((await deleting).status).toBe(404);
  expect(await addresses(token)).toEqual(['precious.example.ru']);
});

test('a USER sees only those policies of a site that apply to that user', async () => {
  const { token } = await api.company();
  const own = await api.must(token, createPolicy, { body: { name: 'Своя политика', proxyId: 1 } });
  const other = await api.must(token, createPolicy, { body: { name: 'Увольнения', proxyId: 1 } });
  const body = { address: 'both.example.ru', politics: [own.id, other.id] };
  const { id } = await api.must(token, createSite, { body });
  const agent = await api.agent(token, [own.id]);
  const seen = [
    (await api.must(agent.token, listSites)).rows[0],
    await api.must(agent.token, getSite, { params: { id } }),
  ];
  for (const site of seen) expect(site?.politics).toEqual([{ id: own.id, name: 'Своя политика' }]);
});
