import { createSite } from '@propusk/contract/sites';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { createTestDatabase } from '@propusk/test-kit/api/database';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createLog } from '../log.ts';
import { startReaper } from './reaper.ts';

let api: TestApi;
let owner: string;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  owner = (await api.company()).token;
});
afterAll(() => api.close());

const query = async (text: string, values: unknown[] = []) =>
  (await api.database.pool.query(text, values)).rows;
const partitions = async () =>
  (
    await query(`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'audit'::regclass order by 1`)
  ).map(({ name }) => name as string);
const nameOf = (monthsFromNow: number) => {
  const now = new Date();
  const moment = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsFromNow, 1));
  return `audit_${moment.toISOString().slice(0, 7).replace('-', '_')}`;
};
const addRow = (at: string, name = 'crm.example.ru') =>
  query(
    `insert into audit (at, company_id, actor_id, actor_name, actor_email, actor_roles, address, action, object_kind, object_id,
      object_name) values (${at}, 1, 1, 'Иван', 'ivan@romashka.test', '{CREATOR}', '192.0.2.7', 'created', 'site', 1, $1)`,
    [name],
  );

async function runReaper(auditMonths = 60, log = createLog('silent')): Promise<void> {
  const reaper = startReaper({ db: api.database.db, log, auditMonths });
  await reaper.tick();
  await reaper.close();
}

describe('expired rows', () => {
  const hashes = "sha256(n::text::bytea || 'x')";
  const holders = `(select id from users order by id limit 1) as u (id), generate_series(1, 2500) n`;
  test.each([
    ['sessions', `(token_hash, user_id, expires_at) select ${hashes}, u.id, $1 from ${holders}`],
    ['mail_links', `(token_hash, user_id, expires_at) select ${hashes}, u.id, $1 from ${holders}`],
    [
      'pairing_codes',
      `(token_hash, session_hash, user_id, expires_at) select ${hashes}, (select token_hash from sessions limit 1), u.id, $1
        from ${holders}`,
    ],
    [
      'idempotency_keys',
      `(user_id, key, fingerprint, created_at) select u.id, 'k' || n, '', $1::timestamptz - interval '1 day' from ${holders}`,
    ],
    [
      'rate_limits',
      `(key, points, expire) select 'k' || n, 1, extract(epoch from $1::timestamptz) * 1000 from ${holders}`,
    ],
  ])('the reaper deletes expired rows of %s and keeps the rest', async (table, rows) => {
    const count = async () => (await query(`select count(*)::int as n from ${table}`))[0]?.n as number;
    const before = await count();
    await query(`insert into ${table} ${rows}`, [new Date(Date.now() - 1_000).toISOString()]);
    expect(await count()).toBe(before + 2_500);
    await runReaper();
    expect(await count()).toBe(before);
    await query(`insert into ${table} ${rows}`, [new Date(Date.now() + 60_000).toISOString()]);
    await runReaper();
    expect(await count()).toBe(before + 2_500);
  });

  test('the reaper deletes expired lock_links and keeps live ones', async () => {
    const site = await api.must(owner, createSite, { body: { address: 'reaped.example.ru' } });
    for (const [hash, away] of [
      ['01', '-1 second'],
      ['02', '1 hour'],
    ])
      await query(
        `insert into lock_links (token_hash, company_id, site_id, made_by, expires_at)
          select decode($1, 'hex'), company_id, id, (select min(id) from users), now() + $2::interval from sites where id = $3`,
        [hash, away, site.id],
      );
    await runReaper();
    expect(await query(`select encode(token_hash, 'hex') as hash from lock_links`)).toEqual([{ hash: '02' }]);
  });
});

describe('the partitions of the audit', () => {
  beforeEach(() => runReaper());

  test('the audit has partitions for this month, the next three, and a default one', async () => {
    expect(await partitions()).toEqual([nameOf(0), nameOf(1), nameOf(2), nameOf(3), 'audit_rest'].toSorted());
  });

  test('the reaper recreates a missing audit partition of a future month', async () => {
    await query(`drop table ${nameOf(3)}`);
    await runReaper();
    expect(await partitions()).toContain(nameOf(3));
  });

  test('an audit row of a month without a partition is stored, and later moved to a new partition', async () => {
    await addRow(`now() + interval '5 months'`, 'ahead.example.ru');
    const [before] = await query(`select tableoid::regclass::text as part, to_jsonb(a) as row from audit a
      where object_name = 'ahead.example.ru'`);
    expect(before?.part).toBe('audit_rest');
    await runReaper();
    const after = await query(`select tableoid::regclass::text as part, to_jsonb(a) as row from audit a
      where object_name = 'ahead.example.ru'`);
    expect(after).toEqual([{ part: nameOf(5), row: before?.row }]);
    for (const table of [nameOf(5), 'audit_rest'])
      await expect(query(`delete from ${table}`)).rejects.toMatchObject({ code: '42501' });
  });

  test('the reaper drops an audit partition once its youngest row exceeds the retention', async () => {
    const month = `date_trunc('month', now(), 'UTC')`;
    // With a retention of 3 months, the first two rows have expired, and the third row has not.
    await addRow(`${month} - interval '3 months' - interval '1 second'`, 'old.example.ru');
    await addRow(`${month} - interval '4 months'`, 'old.example.ru');
    await addRow(`${month} - interval '3 months'`, 'young.example.ru');
    // The rows are in the default partition. The reaper moves the rows to new monthly partitions, then drops expired partitions.
    const logged: string[] = [];
    await runReaper(3, createLog('info', { write: (line: string) => logged.push(line) }));
    expect(await query(`select object_name as name from audit where object_name ~ '^(old|young)'`)).toEqual([
      { name: 'young.example.ru' },
    ]);
    expect(await partitions()).not.toContain(nameOf(-4));
    expect(await partitions()).toContain(nameOf(-3));
    expect(
      await query('select partition, rows::int, retention_months as months from audit_removals'),
    ).toEqual([{ partition: nameOf(-4), rows: 2, months: 3 }]);
    expect(logged.join()).toContain(nameOf(-4));
    await expect(query('delete from audit_removals')).rejects.toMatchObject({ code: '42501' });
  });

  test('several processes maintain the audit partitions at once without an error', async () => {
    await query(`drop table ${nameOf(2)}`);
    await addRow(`now() + interval '7 months'`, 'several.example.ru');
    const logged: string[] = [];
    const log = createLog('warn', { write: (line: string) => logged.push(line) });
    const reapers = Array.from({ length: 4 }, () =>
      startReaper({ db: api.database.db, log, auditMonths: 60 }),
    );
    await Promise.all(reapers.map((reaper) => reaper.tick()));
    await Promise.all(reapers.map((reaper) => reaper.close()));
    expect(logged).toEqual([]);
    expect(await partitions()).toEqual(expect.arrayContaining([nameOf(2), nameOf(7)]));
    expect(await query(`select 1 as one from audit where object_name = 'several.example.ru'`)).toHaveLength(
      1,
    );
  });
});

test('an audit page of one company scans no partition in full, even with ten years of partitions', async () => {
  const database = await createTestDatabase(inject('serverUrl'));
  await database.pool.query(`select add_audit_month(now() - n * interval '1 month') from generate_series(0, 119) n;
    insert into audit (at, company_id, actor_id, actor_name, actor_email, actor_roles, address, action, object_kind, object_id,
      object_name) select now() - n * interval '250 minutes', n % 10, 1, 'Иван', 'ivan@romashka.test', '{CREATOR}', '192.0.2.7',
      'created', 'site', n, 'crm.example.ru' from generate_series(0, 20000) n`);
  await database.pool.query('analyze audit');
  const statement = 'select * from audit where company_id = 7 order by at desc, id desc limit 10';
  const { rows } = await database.pool.query(`explain (analyze, format json, timing off) ${statement}`);
  const scanned: string[] = [];
  (function walk(node: { 'Node Type': string; 'Actual Rows': number; Plans?: never[] }): void {
    if (node['Actual Rows'] > 10) scanned.push(node['Node Type']);
    node.Plans?.forEach(walk);
  })(rows[0]['QUERY PLAN'][0].Plan);
  expect(scanned).toEqual([]);
  await database.drop();
});
