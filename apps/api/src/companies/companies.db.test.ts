import {
  createCompany,
  deleteCompany,
  getCompany,
  listCompanies,
  myCompany,
  updateCompany,
  updateMyCompany,
} from '@propusk/contract/companies';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';

let api: TestApi;
let admin: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  admin = await createAdmin(api);
});
afterAll(() => api.close());

const upstream = { host: 'proxy.example.ru', port: 8080, username: 'login', password: 'canary-secret' };

describe('the company record', () => {
  test('a company reply lists its sites, proxies and users in the shape of the spec', async () => {
    const { token, email } = await api.company();
    const site = await api.must(token, createSite, { body: { address: 'crm.example.ru' } });
    const proxy = await api.must(token, createProxy, { body: upstream });
    const company = await api.must(token, myCompany);
    expect(company).toMatchObject({
      companySite: 'company.test',
      domainsAllowed: [{ id: site.id, address: 'crm.example.ru' }],
      domainsBlock: [],
      proxy: [{ id: proxy.id, host: 'proxy.example.ru', port: '8080' }],
      users: [{ email }],
    });
    expect(await api.must(token, getCompany, { params: { id: company.id } })).toEqual(company);
    expect(await api.must(admin, getCompany, { params: { id: company.id } })).toEqual(company);
  });

  test('an owner and an admin can edit the company', async () => {
    const { token } = await api.company();
    const { id } = await api.must(token, updateMyCompany, { body: { companyName: 'ООО Василёк' } });
    await api.must(admin, updateCompany, { params: { id }, body: { companySite: 'vasilek.test' } });
    expect(await api.must(token, myCompany)).toMatchObject({
      companyName: 'ООО Василёк',
      companySite: 'vasilek.test',
    });
    const { status, error } = await api.call(token, updateMyCompany, { body: { companyName: ' ' } });
    expect([status, error.fields]).toEqual([400, { companyName: 'Заполните это поле' }]);
  });
});

describe('the list of companies', () => {
  test('the list of companies is an array with the count of all matches in X-Total-Count', async () => {
    for (const companyName of ['Список А', 'Список Б', 'список в']) {
      await api.must(admin, createCompany, { body: { companyName, companySite: 'list.test' } });
    }
    const { body, headers } = await api.call(admin, listCompanies, {
      query: { name: 'СПИСОК', page: 1, take: 2, order: 'DESC' },
    });
    expect(body.map(({ companyName }) => companyName)).toEqual(['список в', 'Список Б']);
    expect(headers['x-total-count']).toBe('3');
    const all = await api.call(admin, listCompanies);
    expect(String(all.body.length)).toBe(all.headers['x-total-count']);
  });

  test('the list of companies can be filtered to confirmed or to unconfirmed companies', async () => {
    const { token } = await api.company();
    const { id } = await api.must(token, myCompany);
    await api.database.pool.query('update companies set confirmed = false where id = $1', [id]);
    const listed = async (filter: { confirmed?: 'true' | 'false' } = {}) =>
      (await api.must(admin, listCompanies, { query: { order: 'DESC', ...filter } })).map((row) => row.id);
    const all = await listed();
    expect(await listed({ confirmed: 'false' })).toEqual([id]);
    expect(await listed({ confirmed: 'true' })).toEqual(all.filter((each) => each !== id));
    expect(all).toContain(id);
  });

  test('a list of companies without `page` returns the first 100 companies', async () => {
    const large = await startApi(inject('serverUrl'));
    await large.database.pool.query(`
      insert into companies (company_name, company_site) select 'C' || n, 'c.test' from generate_series(1, 120) n;
      insert into users (company_id, email, name, surname, password_hash, roles)
        select c.id, c.id || '-' || n || '@c.test', '', '', 'none', '{USER}' from companies c, generate_series(1, 99) n;
      insert into sites (company_id, address, shown_address)
        select 7, 's' || n || '.test', 's' || n || '.test' from generate_series(1, 3000) n`);
    const token = await createAdmin(large);
    const { body, headers } = await large.call(token, listCompanies);
    expect(body.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    expect(new Set(body.map(({ users }) => users.length))).toEqual(new Set([99]));
    expect(body[6]?.domainsAllowed).toHaveLength(3_000);
    expect(headers['x-total-count']).toBe('120');
    const last = await large.call(token, listCompanies, { query: { page: 2, take: 100, order: 'DESC' } });
    expect(last.body.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, i) => 20 - i));
    await large.close();
  });

  test('a company created without a name gets its site as its name', async () => {
    const company = await api.must(admin, createCompany, { body: { companySite: 'alone.test' } });
    expect(company).toMatchObject({ companyName: 'alone.test', companySite: 'alone.test', users: [] });
  });
});

describe('deleting a company', () => {
  test('deleting a company deletes all its rows and leaves other companies unchanged', async () => {
    const kept = (await api.company()).token;
    const { token } = await api.company();
    const policy = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId: 1 } });
    const agent = await api.agent(token, [policy.id]);
    const proxy = await api.must(token, createProxy, { body: upstream });
    await api.must(token, createPolicy, { body: { name: 'Свой прокси', proxyId: proxy.id } });
    await api.must(token, createSite, { body: { address: 'crm.example.ru', politics: [policy.id] } });
    const { id } = await api.must(token, myCompany);
    await api.must(admin, deleteCompany, { params: { id }, body: { currentPassword: PASSWORD } });
    for (const gone of [token, agent.token]) expect((await api.call(gone, me)).status).toBe(401);
    const { rows } = await api.database.pool.query(
      `select (select count(*) from companies where id = $1) + (select count(*) from users where company_id = $1)
        + (select count(*) from sites where company_id = $1) + (select count(*) from proxies where company_id = $1)
        + (select count(*) from policies where company_id = $1) + (select count(*) from policy_users where company_id = $1)
        + (select count(*) from policy_sites where company_id = $1) as left`,
      [id],
    );
    expect(rows).toEqual([{ left: 0 }]);
    expect((await api.call(kept, me)).status).toBe(200);
    expect(
      (await api.call(admin, deleteCompany, { params: { id }, body: { currentPassword: PASSWORD } })).status,
    ).toBe(404);
    const next = await api.must(admin, createCompany, { body: { companySite: 'next.test' } });
    expect(next.id).toBeGreaterThan(id);
  });

  test('deleting a company is refused while a platform admin belongs to it', async () => {
    const { token } = await api.company();
    const self = await api.must(token, me);
    await api.database.db
      .updateTable('users')
      .set({ roles: ['CREATOR', 'ADMIN'] })
      .where('id', '=', self.id)
      .execute();
    const id = self.company?.id ?? 0;
    expect(
      await api.call(admin, deleteCompany, { params: { id }, body: { currentPassword: PASSWORD } }),
    ).toMatchObject({
      status: 409,
      error: { code: 'company_of_admin' },
    });
    expect((await api.call(token, me)).status).toBe(200);
  });
});
