import { listCompanies } from '@propusk/contract/companies';
import { createSite, listSites } from '@propusk/contract/sites';
import { allCompanyUsers, companyUsers, createUser, listUsers } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
let owner: string;
let admin: string;
const names = Array.from({ length: 12 }, (_, i) => `p${String(i).padStart(2, '0')}.example.ru`);
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  admin = await createAdmin(api);
  owner = (await api.company()).token;
  for (const address of names) await api.must(owner, createSite, { body: { address } });
});
afterAll(() => api.close());

const listed = async (query: object) => {
  const { rows, count } = await api.must(owner, listSites, { query });
  return [rows.map(({ address }) => address), count];
};

test('a list is paged only if the call has a query parameter', async () => {
  expect(await listed({})).toEqual([names, 12]);
  for (const query of [{ page: 1 }, { take: 10 }, { order: 'ASC' }, { name: '' }]) {
    expect(await listed(query)).toEqual([names.slice(0, 10), 12]);
  }
  expect(await listed({ page: 2 })).toEqual([names.slice(10), 12]);
  expect(await listed({ page: 3 })).toEqual([[], 12]);
  expect(await listed({ page: 2, take: 5, order: 'DESC' })).toEqual([names.toReversed().slice(5, 10), 12]);
  expect(await listed({ name: 'P03', page: 1 })).toEqual([['p03.example.ru'], 1]);
  expect(await listed({ name: '%' })).toEqual([[], 0]);
  expect(await listed({ name: 'p0_' })).toEqual([[], 0]);
  expect(await listed({ page: Number.MAX_SAFE_INTEGER })).toEqual([[], 12]);
});

test.each([
  'page=0',
  'page=-1',
  'page=1.5',
  'page=1e2',
  'page=',
  'page=9007199254740992',
  'page=1&page=2',
  'take=0',
  'take=101',
  'order=asc',
  'order=id%3Bdrop',
  'name=%00',
  `name=${'x'.repeat(201)}`,
])('a list refuses ?%s and names the field', async (query) => {
  const reply = await api.app.inject({
    url: `/api/domain-allowed?${query}`,
    headers: { authorization: `Bearer ${owner}` },
  });
  expect([reply.statusCode, reply.json().code]).toEqual([400, 'bad_input']);
  expect(Object.keys(reply.json().fields)).toEqual([query.slice(0, query.indexOf('='))]);
});

test('owners list the users of their company, and an admin lists the users of every company', async () => {
  const agents = [await api.agent(owner), await api.agent(owner)];
  const page = await api.must(owner, companyUsers, { query: { page: 1, take: 2 } });
  expect([page.rows.length, page.count]).toEqual([2, 3]);
  const all = await api.must(owner, allCompanyUsers);
  expect([all.rows.length, all.count]).toEqual([3, 3]);
  const everybody = await api.must(admin, listUsers, { query: { name: agents[1]?.email.toUpperCase() } });
  expect(everybody.rows.map(({ id, company }) => [id, company?.companySite])).toEqual([
    [agents[1]?.id, 'company.test'],
  ]);
});

test('a search over the whole platform uses the trigram indexes', async () => {
  const { pool } = api.database;
  await pool.query(`insert into users (company_id, email, name, surname, password_hash, roles)
    select null, 'filler' || n || '@filler.test', md5(n::text), md5((n + 1)::text), '', '{USER}'
    from generate_series(1, 20000) n`);
  await pool.query(`insert into companies (company_name, company_site)
    select md5(n::text), md5((n + 1)::text) from generate_series(1, 20000) n`);
  await pool.query('vacuum analyze users, companies');
  const scans = async () => {
    const { rows } = await pool.query(`select relname, sum(idx_scan) as n from pg_stat_user_indexes
      where indexrelname like '%_trgm' and relname in ('users', 'companies') group by relname order by relname`);
    return rows.map(({ n }) => Number(n));
  };
  expect(await scans()).toEqual([0, 0]);
  const { rows } = await api.must(admin, listUsers, { query: { name: 'FILLER777@' } });
  expect(rows.map(({ email }) => email)).toEqual(['filler777@filler.test']);
  await api.must(admin, listCompanies, { query: { name: 'КОМПАНИЯ' } });
  // The test polls, because PostgreSQL updates the statistics of index scans about a second late.
  await expect.poll(async () => Math.min(...(await scans()))).toBeGreaterThan(0);
});

test('a search for a user matches every word in name, surname or email, and treats ё as е', async () => {
  const { token } = await api.company();
  const created = { password: PASSWORD, politics: [] };
  const people = [
    { name: 'Пётр', surname: 'Орлов', email: 'petr.orlov@search.test' },
    { name: 'Петр', surname: 'Журавлёв', email: 'zh@search.test' },
  ];
  for (const person of people) await api.must(token, createUser, { body: { ...person, ...created } });
  for (const [caller, list] of [
    [token, companyUsers],
    [admin, listUsers],
  ] as const) {
    const found = async (name: string) => {
      const { rows } = await api.must(caller, list, { query: { name } });
      return rows.flatMap(({ surname }) => (surname === '' ? [] : [surname]));
    };
    expect(await found('Пётр Орлов')).toEqual(['Орлов']);
    expect(await found(' орлов  ПЕТР ')).toEqual(['Орлов']);
    expect(await found('Петр @search.test')).toEqual(['Орлов', 'Журавлёв']);
    expect(await found('ЖУРАВЛЕВ')).toEqual(['Журавлёв']);
    expect(await found('Орлов Журавлёв')).toEqual([]);
    expect(await found('ПётрОрлов')).toEqual([]);
  }
});
