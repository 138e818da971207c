import { createPolicy, listPolicies } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { createSite, createSites, listSites } from '@propusk/contract/sites';
import { companyUsers, createUser } from '@propusk/contract/users';
import { PASSWORD, startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let api: TestApi;
let owner: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  owner = (await api.company()).token;
});
afterAll(() => api.close());

const key = (text: string) => ({ 'idempotency-key': text });

test('concurrent creates under one idempotency key get the same response and store one row', async () => {
  const site = { address: 'once.example.ru' };
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => api.call(owner, createSite, { body: site, headers: key('click-1') })),
  );
  expect(new Set(replies.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
  expect(replies[0]?.status).toBe(201);
  expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(9);
  expect(new Set(replies.map(({ headers }) => headers.etag))).toEqual(new Set(['"1"']));
  expect((await api.must(owner, listSites, { query: { name: 'once.example' } })).count).toBe(1);
});

test('every create accepts an idempotency key', async () => {
  const email = 'keyed@company.test';
  const twice = [
    () => api.call(owner, createUser, { body: { email, password: PASSWORD }, headers: key('u') }),
    () => api.call(owner, createPolicy, { body: { name: 'Один раз', proxyId: 1 }, headers: key('p') }),
    () =>
      api.call(owner, createProxy, {
        body: { host: 'once.proxy.ru', port: 8080, username: 'login', password: 'canary-secret' },
        headers: key('x'),
      }),
    () =>
      api.call(owner, createSites, {
        body: [{ address: 'many1.ru' }, { address: 'many2.ru' }],
        headers: key('m'),
      }),
  ];
  for (const create of twice) {
    const [first, second] = [await create(), await create()];
    expect(first.status).toBe(201);
    expect([second.status, second.body]).toEqual([201, first.body]);
  }
  expect((await api.must(owner, companyUsers, { query: { name: email } })).count).toBe(1);
  expect((await api.must(owner, listPolicies, { query: { name: 'Один раз' } })).count).toBe(1);
});

test('a create refuses an idempotency key that was used for another request', async () => {
  const send = (body: { address: string }, header: string) =>
    api.call(owner, createSite, { body, headers: key(header) });
  await send({ address: 'first.example.ru' }, 'reused');
  expect(await send({ address: 'second.example.ru' }, 'reused')).toMatchObject({
    status: 422,
    error: { code: 'idempotency_mismatch' },
  });
  for (const bad of ['', 'with space', 'x'.repeat(256)]) {
    expect(await send({ address: 'third.example.ru' }, bad)).toMatchObject({
      status: 400,
      error: { fields: { 'Idempotency-Key': expect.any(String) } },
    });
  }
  const { rows } = await api.must(owner, listSites);
  expect(rows.map(({ address }) => address)).not.toContain('second.example.ru');
});

test('a create that was refused may be retried under the same idempotency key', async () => {
  const site = { address: 'again.example.ru' };
  const wrong = await api.call(owner, createSite, {
    body: { ...site, politics: [999_999] },
    headers: key('r'),
  });
  expect(wrong.status).toBe(400);
  expect((await api.call(owner, createSite, { body: site, headers: key('r') })).status).toBe(201);
  const stranger = (await api.company()).token;
  const other = await api.call(stranger, createSite, { body: site, headers: key('r') });
  expect([other.status, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
});

test('the stored data of an idempotency key contains no secret and expires after a day', async () => {
  const email = 'forgotten@company.test';
  await api.must(owner, createUser, { body: { email, password: 'canary of a person' }, headers: key('f') });
  const { pool } = api.database;
  const stored = await pool.query(
    "select k::text || encode(fingerprint, 'escape') as row from idempotency_keys k",
  );
  expect(JSON.stringify(stored.rows)).toContain(email);
  expect(JSON.stringify(stored.rows)).not.toContain('canary');
  await pool.query("update idempotency_keys set created_at = now() - interval '25 hours'");
  const again = await api.call(owner, createUser, {
    body: { email, password: 'canary of a person' },
    headers: key('f'),
  });
  expect(again.status).toBe(409);
});
