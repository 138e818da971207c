import { health } from '@propusk/contract/health';
import { me } from '@propusk/contract/me';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { statistics } from '@propusk/contract/records';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

const COMPANIES = 6;
const HOSTS_OF_COMPANY = 40_000;

let api: TestApi;
let neighbour: { token: string; policy: number };
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  const { token } = await api.company();
  const proxyId = (await api.must(token, listProxies)).rows[0]?.id ?? 0;
  const { id } = await api.must(token, createPolicy, { body: { name: 'Sales', proxyId } });
  neighbour = { token, policy: id };
});
afterAll(() => api.close());

const day = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z', step: 'hour' } as const;

test('a company can change policies while the owners of six other companies load large statistics', async () => {
  const owners = await Promise.all(Array.from({ length: COMPANIES }, () => api.company()));
  for (const { token } of owners) {
    const companyId = (await api.must(token, me)).company?.id;
    await api.database.pool.query(
      `insert into record_hours select $1, timestamptz '2026-03-01' + n % 700 * interval '1 hour', 0, 0, 'no_policy',
        md5(n::text) || '.example.ru', 0, 1, 0, 0 from generate_series(1, $2::int) as n`,
      [companyId, HOSTS_OF_COMPANY],
    );
  }
  await api.database.pool.query('analyze record_hours');

  const begun = { pending: COMPANIES * 4 };
  const load = owners.flatMap(({ token }) =>
    Array.from({ length: 4 }, async () => {
      const { status } = await api.call(token, statistics, { query: day });
      begun.pending -= 1;
      return status;
    }),
  );
  const seen = { policy: [] as number[], health: [] as number[] };
  do {
    const [changed, healthy] = await Promise.all([
      api.call(neighbour.token, updatePolicy, {
        params: { id: neighbour.policy },
        body: { name: `Sales ${begun.pending} ${seen.policy.length}` },
      }),
      api.call(null, health),
    ]);
    seen.policy.push(changed.status);
    seen.health.push(healthy.status);
  } while (begun.pending > 0);
  const loaded = await Promise.all(load);
  expect(new Set([...seen.policy, ...seen.health])).toEqual(new Set([200]));
  expect([200, 422]).toEqual(expect.arrayContaining([...new Set(loaded)]));
});

test('a call for statistics gets too_long when its statement takes longer than five seconds', async () => {
  const slow = await startApi(inject('serverUrl'));
  try {
    const { token } = await slow.company();
    await slow.database.pool.query(`alter table record_hours rename to record_hours_kept;
      create view record_hours as select k.* from pg_sleep(30) left join record_hours_kept k on true`);
    const { status, error } = await slow.call(token, statistics, { query: day });
    expect([status, error.code]).toEqual([422, 'too_long']);
  } finally {
    await slow.close();
  }
});
