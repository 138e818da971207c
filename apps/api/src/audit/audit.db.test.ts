import { type AuditQuery, type AuditRow, listAudit } from '@propusk/contract/audit';
import { changeOwnPassword, createPairing, login, logout, pair } from '@propusk/contract/auth';
import { createCompany, deleteCompany, updateMyCompany } from '@propusk/contract/companies';
import { shareLock } from '@propusk/contract/lock';
import { me } from '@propusk/contract/me';
import { createPolicy, deletePolicy, updatePolicy } from '@propusk/contract/policies';
import { checkSite } from '@propusk/contract/probe';
import { createProxy, deleteProxy, updateAnyProxy, updateProxy } from '@propusk/contract/proxies';
import { createSite, createSites, deleteSite, updateSite } from '@propusk/contract/sites';
import { createUser, deleteUser, updateUser } from '@propusk/contract/users';
import { createAdmin } from '@propusk/test-kit/api/admin';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { BOUNDS } from './changes.ts';

let api: TestApi;
let admin: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  admin = await createAdmin(api);
});
afterAll(() => api.close());

const read = async (token: string, query: AuditQuery = {}) =>
  (await api.must(token, listAudit, { query: { take: 100, ...query } })).rows;
const summary = ({ action, object, changes }: AuditRow) =>
  [action, object.kind, object.name, changes] as const;
const newest = async (token: string) => {
  const [row] = await read(token, { take: 1 });
  if (row === undefined) throw new Error('the audit is empty');
  return row;
};

describe('audit events', () => {
  test('an audit event contains the actor, IP address, company, object and changes', async () => {
    const { token, email } = await api.company();
    const owner = await api.must(token, me);
    const before = Date.now();
    const site = await api.must(token, createSite, {
      body: { address: 'https://Пример.рф/x' },
      from: '203.0.113.5',
    });
    const row = await newest(token);
    expect(row).toMatchObject({
      company: { id: owner.company?.id, name: owner.company?.companyName },
      actor: { id: owner.id, email, roles: [{ value: 'CREATOR' }] },
      address: '203.0.113.5',
      action: 'created',
      object: { kind: 'site', id: site.id, name: 'пример.рф' },
      changes: { address: { to: 'пример.рф' } },
    });
    expect(Math.abs(Date.parse(row.at) - before)).toBeLessThan(60_000);
  });

  test('the audit records every create, edit and deletion of each entity, with the names of linked entities', async () => {
    const { token } = await api.company();
    const proxyBody = { host: 'way.test', port: 3128, username: 'login', password: 'secret of a way' };
    const proxy = await api.must(token, createProxy, { body: proxyBody });
    const anna = await api.must(token, createUser, {
      body: { email: 'anna@audit.test', password: PASSWORD, name: 'Анна', surname: 'Иванова' },
    });
    const pyotr = await api.must(token, createUser, {
      body: { email: 'pyotr@audit.test', password: PASSWORD },
    });
    const policy = await api.must(token, createPolicy, {
      body: { name: 'Бухгалтерия', proxyId: proxy.id, users: [anna.id] },
    });
    const site = await api.must(token, createSite, {
      body: { address: 'crm.example.ru', politics: [policy.id] },
    });
    await api.must(token, updatePolicy, {
      params: { id: policy.id },
      body: { name: 'Бухгалтеры', users: [pyotr.id] },
    });
    await api.must(token, updateSite, { params: { id: site.id }, body: { politics: [] } });
    await api.must(token, updateSite, { params: { id: site.id }, body: { politics: [policy.id] } });
    await api.must(token, updateUser, {
      params: { id: anna.id },
      body: { surname: 'Петрова', password: 'another horse', politics: [policy.id] },
    });
    await api.must(token, updateProxy, {
      params: { id: proxy.id },
      body: { port: 8080, password: 'another secret' },
    });
    await api.must(token, updateMyCompany, { body: { companySite: 'new.test' } });
    await api.must(token, deletePolicy, { params: { id: policy.id } });
    await api.must(token, deleteProxy, { params: { id: proxy.id } });
    await api.must(token, deleteUser, { params: { id: pyotr.id } });
    await api.must(token, deleteSite, { params: { id: site.id } });
    const { company } = await api.must(token, me);
    const rows = await read(token, { order: 'ASC' });
    expect(rows.slice(2).map(summary)).toEqual([
      [
        'created',
        'proxy',
        'way.test:3128',
        {
          host: { to: 'way.test' },
          port: { to: '3128' },
          username: { to: 'login' },
          type: { to: 'users' },
        },
      ],
      [
        'created',
        'user',
        'anna@audit.test',
        {
          name: { to: 'Анна' },
          surname: { to: 'Иванова' },
          email: { to: 'anna@audit.test' },
          roles: { added: ['USER'] },
        },
      ],
      [
        'created',
        'user',
        'pyotr@audit.test',
        { email: { to: 'pyotr@audit.test' }, roles: { added: ['USER'] } },
      ],
      [
        'created',
        'policy',
        'Бухгалтерия',
        {
          name: { to: 'Бухгалтерия' },
          description: { to: 'Бухгалтерия' },
          proxy: { to: 'way.test' },
          users: { added: ['Анна Иванова'] },
        },
      ],
      [
        'created',
        'site',
        'crm.example.ru',
        { address: { to: 'crm.example.ru' }, politics: { added: ['Бухгалтерия'] } },
      ],
      [
        'changed',
        'policy',
        'Бухгалтерия',
        {
          name: { from: 'Бухгалтерия', to: 'Бухгалтеры' },
          users: { added: ['pyotr@audit.test'], removed: ['Анна Иванова'] },
        },
      ],
      ['changed', 'site', 'crm.example.ru', { politics: { removed: ['Бухгалтеры'] } }],
      ['changed', 'site', 'crm.example.ru', { politics: { added: ['Бухгалтеры'] } }],
      [
        'changed',
        'user',
        'anna@audit.test',
        {
          surname: { from: 'Иванова', to: 'Петрова' },
          politics: { added: ['Бухгалтеры'] },
          password: {},
        },
      ],
      ['changed', 'proxy', 'way.test:3128', { port: { from: '3128', to: '8080' }, password: {} }],
      ['changed', 'company', company?.companyName, { companySite: { from: 'company.test', to: 'new.test' } }],
      [
        'deleted',
        'policy',
        'Бухгалтеры',
        {
          name: { from: 'Бухгалтеры' },
          description: { from: 'Бухгалтерия' },
          proxy: { from: 'way.test' },
          users: { removed: ['Анна Петрова', 'pyotr@audit.test'] },
          sites: { removed: ['crm.example.ru'] },
        },
      ],
      [
        'deleted',
        'proxy',
        'way.test:8080',
        {
          host: { from: 'way.test' },
          port: { from: '8080' },
          username: { from: 'login' },
          type: { from: 'users' },
        },
      ],
      [
        'deleted',
        'user',
        'pyotr@audit.test',
        { email: { from: 'pyotr@audit.test' }, roles: { removed: ['USER'] } },
      ],
      ['deleted', 'site', 'crm.example.ru', { address: { from: 'crm.example.ru' } }],
    ]);
  });

  test('the audit records each site of a bulk create and each change of one’s own account', async () => {
    const { token, email } = await api.company();
    await api.must(token, createSites, {
      body: [{ address: 'one.example.ru' }, { address: 'two.example.ru' }],
    });
    const [site] = (await read(token, { name: 'one.example' })).map(({ object }) => object);
    await api.must(token, shareLock, { params: { id: site?.id ?? 0 } });
    await api.must(token, checkSite, { params: { id: site?.id ?? 0 } });
    const { code } = await api.must(token, createPairing);
    const extension = await api.must(null, pair, { body: { code }, from: '203.0.113.9' });
    await api.must(extension.token, logout, { from: '203.0.113.9' });
    await api.must(token, changeOwnPassword, {
      body: { currentPassword: PASSWORD, password: 'another horse' },
    });
    const rows = await read(token, { order: 'ASC' });
    expect(rows.map(({ action, object }) => [action, object.name])).toEqual([
      ['registered', rows[0]?.company?.name],
      ['signed_in', email],
      ['created', 'one.example.ru'],
      ['created', 'two.example.ru'],
      ['lock_shared', 'one.example.ru'],
      ['check_asked', 'one.example.ru'],
      ['signed_in', email],
      ['signed_out', email],
      ['password_changed', email],
    ]);
    expect(rows.filter(({ address }) => address === '203.0.113.9').map(({ action }) => action)).toEqual([
      'signed_in',
      'signed_out',
    ]);
    expect(rows[6]?.changes).toEqual({ client: { to: 'extension' } });
  });

  test('an edit without changes and a repeated create write no audit event', async () => {
    const { token } = await api.company();
    const headers = { 'idempotency-key': 'one and the same'.replaceAll(' ', '-') };
    const body = { address: 'same.example.ru' };
    const site = await api.must(token, createSite, { body, headers });
    const again = await api.must(token, createSite, { body, headers });
    expect(again.id).toBe(site.id);
    const before = (await read(token)).length;
    await api.must(token, updateSite, { params: { id: site.id }, body: { ...body, politics: [] } });
    await api.must(token, updateMyCompany, { body: { companySite: 'company.test' } });
    expect(await read(token)).toHaveLength(before);
    expect(await read(token, { name: 'same.example' })).toHaveLength(1);
  });

  test('an audit event stores only the beginning of a long text or list', async () => {
    const { token } = await api.company();
    const [{ id: proxyId } = { id: 0 }] = (
      await api.database.pool.query('select id from proxies where direct')
    ).rows;
    const { company } = await api.must(token, me);
    const { rows: people } = await api.database.pool.query(
      `insert into users (company_id, email, name, surname, password_hash, roles)
      select $1, 'many' || i || '@audit.test', repeat('Ж', 150), repeat('😀', 100), '', '{USER}' from generate_series(1, 120) i returning id`,
      [company?.id],
    );
    await api.must(token, createPolicy, {
      body: {
        name: 'Многолюдная',
        description: 'й'.repeat(2000),
        proxyId,
        users: people.map(({ id }) => id),
      },
    });
    const { users, description } = (await newest(token)).changes;
    const named = users?.added?.length ?? 0;
    expect(named).toBeGreaterThan(1);
    expect(users?.added?.join('').length).toBeLessThanOrEqual(BOUNDS.list + BOUNDS.text);
    expect(users?.moreAdded).toBe(120 - named);
    expect(String(description?.to)).toHaveLength(BOUNDS.text + 1);
    const { rows } = await api.database.pool.query('select max(length(changes::text)) as longest from audit');
    expect(rows[0].longest).toBeLessThan(5_000);
  });

  test('audit events of a deleted company keep its name', async () => {
    const made = await api.must(admin, createCompany, {
      body: { companyName: 'Недолгая', companySite: 'x.test' },
    });
    await api.must(admin, deleteCompany, { params: { id: made.id }, body: { currentPassword: PASSWORD } });
    const rows = await read(admin, { name: 'недолгая' });
    expect(rows.map(({ action, company }) => [action, company])).toEqual([
      ['deleted', { id: made.id, name: 'Недолгая' }],
      ['created', { id: made.id, name: 'Недолгая' }],
    ]);
  });
});

describe('the list of audit events', () => {
  test("the audit list has the company's events for an owner and all events for an admin", async () => {
    const [one, two] = [await api.company(), await api.company()];
    const { company } = await api.must(one.token, me);
    const [site] = [await api.must(one.token, createSite, { body: { address: 'mine.example.ru' } })];
    await api.must(admin, updateSite, { params: { id: site.id }, body: { address: 'moved.example.ru' } });
    const mine = await read(one.token);
    expect(new Set(mine.map((row) => row.company?.id))).toEqual(new Set([company?.id]));
    expect(mine[0]).toMatchObject({ action: 'changed', actor: { roles: [{ value: 'ADMIN' }] } });
    expect(await read(two.token, { name: 'mine.example' })).toEqual([]);
    const all = await read(admin, { name: 'mine.example' });
    expect(all.map(({ action }) => action)).toEqual(['changed', 'created']);
    const proxy = await api.must(admin, createProxy, {
      body: { host: 'shared-way.test', port: 3128, username: 'login', password: 'secret of a way' },
    });
    await api.must(admin, updateAnyProxy, {
      params: { id: proxy.id },
      body: { settings: { allSites: true } },
    });
    const ours = await read(admin, { name: 'shared-way.test' });
    expect(ours.map(({ company, changes }) => [company, changes.allSites])).toEqual([
      [null, { from: false, to: true }],
      [null, undefined],
    ]);
    expect(await read(one.token, { name: 'shared-way.test' })).toEqual([]);
  });

  test('the audit list is always paged, newest first, with the count of all events', async () => {
    const { token } = await api.company();
    await api.must(token, createSites, {
      body: Array.from({ length: 12 }, (_, n) => ({ address: `page${n}.example.ru` })),
    });
    const first = await api.must(token, listAudit, { query: {} });
    expect(first.count).toBe(14);
    expect(first.rows).toHaveLength(10);
    expect(first.rows[0]?.object.name).toBe('page11.example.ru');
    const second = await api.must(token, listAudit, { query: { page: 2 } });
    expect(second.rows.map(({ object }) => object.name).slice(0, 2)).toEqual([
      'page1.example.ru',
      'page0.example.ru',
    ]);
    const ids = [...first.rows, ...second.rows].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });

  test('the audit list can be filtered by action', async () => {
    const { token } = await api.company();
    await api.must(token, createSite, { body: { address: 'crm.example.ru' } });
    const actions = async (query: AuditQuery) => (await read(token, query)).map(({ action }) => action);
    expect(await actions({ action: 'created' })).toEqual(['created']);
    expect(await actions({ action: 'deleted' })).toEqual([]);
  });

  test('a search of the audit matches actors and objects, ignores case, and takes % literally', async () => {
    const { token, email } = await api.company();
    await api.must(token, createUser, {
      body: { email: 'Vera@audit.test', password: PASSWORD, name: 'Вера' },
    });
    expect(await read(token, { name: 'vera@AUDIT' })).toHaveLength(1);
    expect(await read(token, { name: email.toUpperCase() })).toHaveLength(3);
    expect(await read(token, { name: '%' })).toEqual([]);
  });

  test('the audit list accepts a period as days in Moscow time, or as times with a time zone', async () => {
    const { token } = await api.company();
    const { company } = await api.must(token, me);
    const at = [
      '2026-03-01T20:59:59.999Z',
      '2026-03-01T21:00:00Z',
      '2026-03-02T20:59:59.999Z',
      '2026-03-02T21:00:00Z',
    ];
    for (const moment of at) {
      await api.database.pool.query(
        `insert into audit (at, company_id, company, actor_id, actor_name, actor_email, actor_roles, address, action,
          object_kind, object_id, object_name) values ($1, $2, '', 1, '', '', '{}', '', 'created', 'site', 1, 'a period')`,
        [moment, company?.id],
      );
    }
    const within = async (period: AuditQuery) =>
      (await read(token, { name: 'a period', order: 'ASC', ...period })).map((row) =>
        new Date(row.at).toISOString(),
      );
    const all = at.map((moment) => new Date(moment).toISOString());
    expect(await within({ from: '2026-03-02', to: '2026-03-02' })).toEqual(all.slice(1, 3));
    expect(await within({ from: '2026-03-02' })).toEqual(all.slice(1));
    expect(await within({ to: '2026-03-02' })).toEqual(all.slice(0, 3));
    expect(await within({ from: '2026-03-01T21:00:00Z', to: '2026-03-03T00:00:00+03:00' })).toEqual(
      all.slice(1, 3),
    );
    expect(await within({ from: '2026-03-03', to: '2026-03-02' })).toEqual([]);
    for (const from of ['2026-02-30', '0000-01-01', '2026-03-02T10:00', 'yesterday', '2026-3-2']) {
      expect((await api.call(token, listAudit, { query: { from } })).error, from).toMatchObject({
        code: 'bad_input',
        fields: { from: expect.any(String) },
      });
    }
  });

  test('an agent cannot list the audit', async () => {
    const { token } = await api.company();
    const agent = await api.agent(token);
    expect((await api.call(agent.token, listAudit, { query: {} })).status).toBe(403);
    const { rows } = await api.database.pool.query(
      `select action from audit where actor_id = $1 and action = 'signed_in'`,
      [agent.id],
    );
    expect(rows).toHaveLength(1);
    expect(
      (await api.call(null, login, { body: { email: agent.email, password: 'wrong horse' } })).status,
    ).toBe(401);
    expect(await read(token, { name: agent.email })).toHaveLength(2);
  });
});
