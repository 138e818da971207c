import { login, logout } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { createSite, createSites, deleteSite, updateSite } from '@propusk/contract/sites';
import { deleteUser, updateUser } from '@propusk/contract/users';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { DAILY_BYTES } from './daily-bytes.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
});
afterAll(() => api.close());

const count = async () =>
  Number((await api.database.pool.query('select count(*) as n from audit')).rows[0]?.n);
/** Reduces a user's daily write budget to a number of bytes. */
const leave = (kind: string, id: number, bytes: number) =>
  api.database.pool.query(
    `insert into rate_limits (key, points, expire) values ($1, $2, $3) on conflict (key) do update set points = $2`,
    [`audit${kind}:${id}`, bytes, Date.now() + 3_600_000],
  );

let owner: { token: string; email: string };
let id: number;
beforeEach(async () => {
  owner = await api.company();
  ({ id } = await api.must(owner.token, me));
});

test('a change by an owner with an exhausted daily write budget is refused and stores no row', async () => {
  const site = await api.must(owner.token, createSite, { body: { address: 'first.example.ru' } });
  await leave('Change', id, DAILY_BYTES.manager - 1_000);
  const change = (address: string) =>
    api.call(owner.token, updateSite, { params: { id: site.id }, body: { address } });
  expect((await change('second.example.ru')).status).toBe(200);
  expect((await change('third.example.ru')).status).toBe(200);
  const before = await count();
  const refused = await change('fourth.example.ru');
  expect([refused.status, refused.error.code]).toEqual([429, 'too_many_requests']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
  expect(await count()).toBe(before);
  // The next day starts with a full budget.
  await api.database.pool.query(`update rate_limits set expire = $1 where key like 'auditChange:%'`, [
    Date.now() - 1,
  ]);
  expect((await change('fourth.example.ru')).status).toBe(200);
});

test('an owner with an exhausted daily write budget can still delete, sign in and sign out', async () => {
  const agent = await api.agent(owner.token);
  const site = await api.must(owner.token, createSite, { body: { address: 'gone.example.ru' } });
  await leave('Change', id, DAILY_BYTES.manager);
  expect((await api.call(owner.token, createSite, { body: { address: 'new.example.ru' } })).status).toBe(429);
  expect((await api.call(owner.token, deleteSite, { params: { id: site.id } })).status).toBe(204);
  expect((await api.call(owner.token, deleteUser, { params: { id: agent.id } })).status).toBe(204);
  expect((await api.call(owner.token, logout)).status).toBe(204);
  await api.must(null, login, { body: { email: owner.email, password: PASSWORD } });
});

test('an agent cannot exhaust the daily write budget of the owner', async () => {
  const agent = await api.agent(owner.token);
  await leave('SignIn', agent.id, DAILY_BYTES.agent);
  const body = { email: agent.email, password: PASSWORD };
  expect((await api.call(null, login, { body })).status).toBe(429);
  await api.must(owner.token, createSite, { body: { address: 'calm.example.ru' } });
  await api.must(owner.token, updateUser, { params: { id: agent.id }, body: { name: 'Новое' } });
});

test('the daily write budget counts the reply stored under an idempotency key', async () => {
  const many = Array.from({ length: 40 }, (_, i) => ({ address: `many${i}.example.ru` }));
  const create = (headers: Record<string, string>) =>
    api.call(owner.token, createSites, { body: many, headers });
  const points = async () =>
    Number(
      (await api.database.pool.query('select points from rate_limits where key = $1', [`auditChange:${id}`]))
        .rows[0]?.points,
    );
  const first = await create({ 'idempotency-key': 'many' });
  expect(first.status).toBe(201);
  const counted = await points();
  expect(counted).toBeGreaterThan(40 * 400 + JSON.stringify(first.body).length);
  // For the repeated request, the server replays the stored reply. Nothing is stored, so nothing is charged.
  expect((await create({ 'idempotency-key': 'many' })).status).toBe(201);
  expect(await points()).toBe(counted);
});
