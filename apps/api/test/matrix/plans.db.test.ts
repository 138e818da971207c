import { createRequire } from 'node:module';
import { startApi, type TestApi } from '@propusk/test-kit/api/api';
import { byName, partsOf } from '@propusk/test-kit/matrix/calls';
import { rows } from '@propusk/test-kit/matrix/rows';
import { takeSnapshot } from '@propusk/test-kit/matrix/snapshot';
import { thousandCompanies } from '@propusk/test-kit/matrix/thousand-companies';
import { createWorld, type World } from '@propusk/test-kit/matrix/world';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils.js') as {
  prepareValue(value: unknown): string | Buffer | null;
};

/** EXPLAIN runs with the values of at most 8 calls for each statement. One call is not enough, because plans depend on values. */
const MOST_CALLS = 8;

let api: TestApi;
let client: pg.Client;
let statements: Awaited<ReturnType<typeof statementsOf>>;
beforeAll(async () => {
  api = await startApi(inject('serverUrl'));
  statements = await statementsOf(await createWorld(api));
  client = api.database.client();
  await client.connect();
  await client.query(`set statement_timeout = 0; ${thousandCompanies}`);
});
afterAll(async () => {
  await client.end();
  await api.close();
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

/** Patterns of index name and index condition. Scans that match need no company in their condition, for the given reason. */
const exceptions: readonly (readonly [RegExp, string])[] = [
  [/_pkey \(id = /, 'reads one row for each id; ids are counted up, so it is no secret which exist'],
  [/^users_email_key \(email = /, 'a mail address belongs to one account of the platform'],
  [/ \((token|code)_hash = /, 'a secret of 256 bits finds its row'],
  [/^sites_claimed_host \(split_part/, 'companies on shared egress compete for a host'],
  [/^users_admins /, 'mails to the platform go to its ADMINs'],
  [/^lock_links_maker \(made_by = /, 'a change of role deletes the links of a user whom the company found'],
];

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const lastHour = { from: ago(60), to: ago(0) };
/** `thousandCompanies` creates a user and a site of another company, both with this id. */
const OTHER = 1_001_003;

/** Query parameters of list and log calls, in addition to those of the matrix. */
const log: readonly Record<string, string | number>[] = [
  { user: OTHER },
  { site: OTHER, user: OTHER },
  { site: OTHER, ...lastHour },
  { ...lastHour, result: 'refused', reason: 'no_policy' },
  { from: ago(40_000), to: ago(0), address: '203.0.113.1' },
];
const queries: Readonly<Record<string, readonly Record<string, string | number>[]>> = {
  'GET /users/company': [{ name: 'c4ca4238a0b9 surname1', page: 1, take: 10 }],
  'GET /domain-allowed': [{ name: 'site17.1001000', order: 'DESC' }],
  'GET /politics': [{ name: 'c4ca4238a0b9', page: 2 }],
  'GET /proxy': [{ name: 'proxy1.1001000', type: 'users' }],
  'GET /audit': [
    { name: 'c4ca4238a0b9', from: ago(60), to: ago(0) },
    { name: 'c4ca4238a0b9' },
    { from: '2026-01-01' },
  ],
  'GET /statistics': [
    { ...lastHour, step: 'hour' },
    { from: ago(40_000), to: ago(0), step: 'day' },
  ],
  'GET /visits': log,
  'GET /visits/export': log,
};

test('an index limits each table scan for a USER or CREATOR to the rows of the company', async () => {
  const { rows: columns } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns where column_name = 'company_id' and table_schema = 'public'`,
  );
  const tables = new Set(columns.map(({ name }) => name));
  expect(statements.size).toBeGreaterThan(100);
  const faults: string[] = [];
  const excepted = new Set<string>();
  for (const [text, calls] of statements) {
    await client.query(`prepare one as ${text}`);
    for (const { call, values } of calls) {
      const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
      for (const mode of ['custom', 'generic']) {
        await client.query(`set plan_cache_mode = force_${mode}_plan`);
        const { rows: plans } = await client.query(`explain (format json) execute one${given}`);
        for (const scan of unscoped(plans[0]['QUERY PLAN'][0].Plan, tables)) {
          const exception = exceptions.find(([scanned]) => scanned.test(scan));
          if (exception === undefined) faults.push(`${call} (${mode}): ${scan}\n${text}`);
          else excepted.add(exception[1]);
        }
      }
    }
    await client.query('deallocate one');
  }
  expect(faults).toEqual([]);
  expect([...excepted].toSorted()).toEqual(exceptions.map(([, reason]) => reason).toSorted());
});

test("a list of visits reads as many database pages for another company's user as for a missing user", async () => {
  const lists = [...statements].flatMap(([text, calls]) =>
    calls
      // Skips the statement that writes the audit event of a read, because its plan depends on table statistics.
      .filter(({ call, values }) => call.startsWith('GET /visits,') && values.includes(OTHER))
      .filter(() => !text.includes('into audit'))
      .map(({ values }) => ({ text, values })),
  );
  expect(lists.length).toBeGreaterThan(0);
  for (const { text, values } of lists) {
    const pages = async (id: number) => {
      const { rows: plans } = await client.query(
        `explain (analyze, buffers, format json) ${text}`,
        values.map((value) => (value === OTHER ? id : value)),
      );
      const { Plan: plan } = plans[0]['QUERY PLAN'][0];
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    };
    expect(await pages(OTHER)).toBe(await pages(999_999_999));
  }
});

/** Makes every call of the matrix as USER and CREATOR. @returns at most MOST_CALLS executions of each statement, by its text */
async function statementsOf(world: World) {
  const snapshot = await takeSnapshot(api.database.pool);
  const seen = new Map<string, { call: string; values: readonly unknown[] }[]>();
  let call = '';
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    const [sent] = given as unknown as [string | { text: string; values?: readonly unknown[] }];
    if (
      call !== '' &&
      typeof sent !== 'string' &&
      /^[\s(]*(select|with|insert|update|delete)/i.test(sent.text)
    ) {
      const { text, values = [] } = sent;
      const calls = seen.get(text) ?? [];
      if (calls.length < MOST_CALLS) seen.set(text, [...calls, { call, values }]);
    }
    return query.apply(this, given) as never;
  });
  for (const row of rows) {
    const endpoint = byName.get(row.call);
    if (endpoint === undefined || endpoint.access === 'gateway') continue;
    for (const caller of ['USER', 'CREATOR'] as const) {
      const parts = partsOf(row.call, row.target, { world, caller: world.standing[caller] });
      for (const more of [{}, ...(queries[row.call] ?? [])]) {
        call = `${row.call}, ${row.target.text}, ${caller}`;
        const { token } = world.standing[caller];
        const { status } = await api.call(token, endpoint, { ...parts, query: { ...parts.query, ...more } });
        call = '';
        if (status < 300 && endpoint.method !== 'GET') await snapshot.restore();
      }
    }
  }
  spy.mockRestore();
  await api.database.pool.query('drop schema saved cascade');
  return seen;
}

function literal(value: unknown): string {
  const prepared = prepareValue(value);
  if (prepared === null) return 'null';
  return pg.escapeLiteral(typeof prepared === 'string' ? prepared : `\\x${prepared.toString('hex')}`);
}

/** Lists the scans of tables with `company_id` whose index condition lacks the company. */
function unscoped(plan: Plan, tables: ReadonlySet<string>): string[] {
  const table = plan['Relation Name'];
  const below = (plan.Plans ?? []).flatMap((each) => unscoped(each, tables));
  const isScan = table !== undefined && tables.has(table) && plan['Node Type'].includes('Scan');
  return isScan && !isScoped(plan) ? [describeScan(plan), ...below] : below;
}

/** Describes a scan as index name and index condition. A bitmap scan is described by its index scans. */
function describeScan(plan: Plan): string {
  const { 'Index Name': index, 'Index Cond': condition = '', Plans = [] } = plan;
  if (Plans.length > 0 && plan['Node Type'].startsWith('Bitmap')) return Plans.map(describeScan).join(' ');
  return `${index ?? `${plan['Node Type']} ${plan['Relation Name']}`} ${condition}`;
}

/** Whether the index condition limits a scan to the rows of one company or of the platform (0 in the owner columns). */
function isScoped(plan: Plan): boolean {
  const { 'Node Type': node, Plans = [] } = plan;
  if (node === 'BitmapAnd') return Plans.some(isScoped);
  if (node === 'BitmapOr' || node === 'Bitmap Heap Scan') return Plans.every(isScoped);
  return /\b(company_id|owner_id|proxy_owner_id)\b/.test(plan['Index Cond'] ?? '');
}
