import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/** The initial state of the database, with which each cell compares its result. */
export interface Snapshot {
  /** Hashes of all rows of each company, by its id; 0 is the platform. Equal hashes mean that nothing was stored. */
  readonly digests: ReadonlyMap<number, string>;
  /**
   * The companies whose rows differ from the initial state.
   * @param awaited waits for a change, because a mail link is created after the reply
   */
  changed(awaited?: boolean): Promise<number[]>;
  /** The audited tables whose rows differ from the initial state. */
  touched(): Promise<string[]>;
  /** The audit events since the last call or restore. */
  written(): Promise<Written[]>;
  /** Every row of every table as JSON, except mails: they are sealed with a random nonce and leave in the background. */
  dump(): Promise<Record<string, Record<string, unknown>[]>>;
  /** Resets every row and every sequence to the initial state. */
  restore(): Promise<void>;
}

/** An audit row, without columns that differ between runs. */
export interface Written extends Record<string, unknown> {
  readonly company_id: number | null;
  readonly actor_id: number;
  readonly action: string;
  readonly object_kind: string;
  readonly object_id: number;
  readonly changes: unknown;
}

// Tables that others reference. All other tables come after these in a restore.
const parents = [
  'platform',
  'plans',
  'companies',
  'users',
  'proxies',
  'sites',
  'policies',
  'sessions',
  'second_factors',
  'vantages',
];
// Tables that a refused call may change: it records its attempt, and mails are sent in the background.
const bookkeeping = new Set(['sessions', 'rate_limits', 'idempotency_keys', 'mails']);
// Columns of each table that change without a user's action.
const audited: Readonly<Record<string, readonly string[]>> = {
  companies: ['policy_version', 'visited', 'first_steps_done'],
  users: ['extension_seen_at'],
  proxies: [],
  sites: [],
  policies: [],
  policy_users: [],
  timed_members: [],
  policy_sites: [],
  sessions: ['last_seen_at'],
  mail_links: [],
  lock_links: [],
  company_invitations: [],
  plans: [],
  contact: [],
  tariff_requests: [],
};

/** Copies the whole database. */
export async function takeSnapshot(pool: pg.Pool): Promise<Snapshot> {
  const columns = await readColumns(pool);
  const tables = [...columns.keys()].toSorted((a, b) => rank(a) - rank(b));
  await pool.query('create schema saved');
  for (const table of tables) await pool.query(`create table saved.${table} as table public.${table}`);

  const digestStatement = digestOf(tables, columns);
  const digest = async () => {
    const { rows } = await pool.query<{ company: number; digest: string }>(digestStatement);
    return new Map(rows.map((row) => [row.company, row.digest]));
  };
  const digests = await digest();
  const changed = async (awaited = false) => {
    for (let tries = awaited ? 100 : 1; ; tries--) {
      const now = await digest();
      const companies = [...new Set([...digests.keys(), ...now.keys()])];
      const different = companies.filter((company) => now.get(company) !== digests.get(company));
      if (different.length > 0 || tries === 1) return different;
      await pause(10);
    }
  };
  const hashes = Object.entries(audited).map(
    ([table, ignored]) =>
      `select '${table}' as name, md5(string_agg(row, ',' order by row)) as digest from (
        select (to_jsonb(t) - array[${ignored.map((column) => `'${column}'`).join()}]::text[])::text as row from ${table} t) as rows`,
  );
  const digestTables = async () => {
    const { rows } = await pool.query<{ name: string; digest: string }>(hashes.join(' union all '));
    return new Map(rows.map(({ name, digest }) => [name, digest]));
  };
  const tableDigests = await digestTables();
  // The audit table is append-only: new rows have ids beyond a mark.
  let mark = 0;
  const written = async () => {
    const { rows } = await pool.query<Written & { id: number }>(
      `select * from audit where id > $1 order by id`,
      [mark],
    );
    mark = rows.at(-1)?.id ?? mark;
    return rows.map(({ company_id, actor_id, action, object_kind, object_id, changes }) => ({
      company_id,
      actor_id,
      action,
      object_kind,
      object_id,
      changes,
    }));
  };
  await written();
  const restoreStatement = await restoreOf(pool, tables, columns);
  return {
    digests,
    changed,
    touched: async () => {
      const now = await digestTables();
      return [...now.keys()].filter((table) => now.get(table) !== tableDigests.get(table));
    },
    written,
    dump: async () => {
      const dumped: Record<string, Record<string, unknown>[]> = { audit: [...(await written())] };
      for (const table of tables.filter((each) => each !== 'mails')) {
        const { rows } = await pool.query(`select to_jsonb(t) as row from ${table} t order by t::text`);
        dumped[table] = rows.map(({ row }) => row);
      }
      return dumped;
    },
    restore: async () => {
      // Work that the api does after a reply, such as sending mail, may write between the statement and the comparison.
      for (let tries = 3; ; tries--) {
        await pool.query(restoreStatement);
        if ((await changed()).length === 0) break;
        if (tries === 1) throw new Error('the database was not restored');
        await pause(50);
      }
      await written();
    },
  };
}

function rank(table: string): number {
  const place = parents.indexOf(table);
  return place === -1 ? parents.length : place;
}

async function readColumns(pool: pg.Pool): Promise<Map<string, string[]>> {
  const { rows } = await pool.query<{ table: string; columns: string[] }>(`
    select table_name::text as table, array_agg(column_name::text) as columns
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
      and table_name not like 'kysely%' and table_name not like 'audit%' and table_name not like 'record%'
    group by 1 order by 1`);
  return new Map(rows.map((row) => [row.table, row.columns]));
}

/** Hashes the rows of each company. A row without a company column belongs to the platform. */
function digestOf(tables: string[], columns: Map<string, string[]>): string {
  const parts = tables
    .filter((table) => !bookkeeping.has(table))
    .map((table) => {
      const has = (column: string) => columns.get(table)?.includes(column);
      let company = '0';
      if (table === 'companies') company = 't.id';
      else if (has('company_id')) company = 'coalesce(t.company_id, 0)';
      // Rows that belong to a proxy; the owner id 0 is the platform.
      else if (has('owner_id')) company = 't.owner_id';
      else if (has('user_id'))
        company = '(select coalesce(u.company_id, 0) from users u where u.id = t.user_id)';
      else if (has('vantage_id'))
        company = '(select coalesce(v.company_id, 0) from vantages v where v.id = t.vantage_id)';
      return `select ${company} as company, '${table}' || t::text as row from ${table} t`;
    });
  return `select company, md5(string_agg(row, ',' order by row)) as digest
    from (${parts.join(' union all ')}) as rows group by company`;
}

async function restoreOf(pool: pg.Pool, tables: string[], columns: Map<string, string[]>): Promise<string> {
  const sequences = await pool.query<{ name: string; last: number; called: boolean }>(`
    select quote_ident(sequencename) as name, coalesce(last_value, start_value) as last, last_value is not null as called
    from pg_sequences where schemaname = 'public' and sequencename <> 'audit_id_seq'`);
  return [
    ...tables.toReversed().map((table) => `delete from ${table}`),
    ...tables.map((table) => {
      const list = columns.get(table)?.join(', ');
      return `insert into ${table} (${list}) select ${list} from saved.${table}`;
    }),
    // Restore the columns that triggers changed during the statements above.
    'update companies c set policy_version = s.policy_version from saved.companies s where s.id = c.id',
    'update sites c set claim = s.claim from saved.sites s where s.id = c.id',
    ...sequences.rows.map(({ name, last, called }) => `select setval('${name}', ${last}, ${called})`),
  ].join(';\n');
}
