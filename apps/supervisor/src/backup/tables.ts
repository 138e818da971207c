import type pg from 'pg';
import type { Sequence, Table } from './frames.ts';

/**
 * Tables that a backup leaves out: a restored database must not accept old sessions, nor report state of the lost one. It
 * holds every other table; the tests list those too, so that a new table forces a decision.
 */
export const leftOut: ReadonlySet<string> = new Set([
  // Each row grants access; in a restored database no user is signed in.
  'sessions',
  'pairing_codes',
  'mail_links',
  'lock_links',
  // Mails hold links, and a restored database must not send old ones.
  'mails',
  'company_invitations',
  // Tasks expire after a minute, and their probes ended with the old product.
  'vantage_tasks',
  // Keys expire after a day, and they hold replies, some with secret links.
  'idempotency_keys',
  // Counters of the last hour.
  'rate_limits',
  // An empty table that release 0.1 made.
  'kysely_migration_lock',
]);

/** SQL conditions of the rows in a backup, by table. A vantage that is not paired yet is left out: its row has a pairing code. */
export const keptRows: Readonly<Record<string, string>> = { vantages: 'where code_hash is null' };

/** The tables of the records of access, which a backup may leave out. */
export const ofRecords: ReadonlySet<string> = new Set([
  'records',
  'record_hours',
  'record_people',
  'record_removals',
  'record_runs',
]);

/** Tables whose triggers refuse UPDATE, DELETE and TRUNCATE. */
export const appendOnly: ReadonlySet<string> = new Set(['audit', 'audit_removals']);

const ofSchema = `join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
  and not c.relispartition
  and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')`;

/** Lists the tables of a backup, each after the tables that its foreign keys reference. */
export async function keptTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows: tables } = await client.query<Table>(`
    select c.relname::text as name, array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
    from pg_class c ${ofSchema} where c.relkind in ('r', 'p') order by 1`);
  const { rows: links } = await client.query<{ child: string; parent: string }>(`
    select k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent
    from pg_constraint k join pg_class c on c.oid = k.conrelid ${ofSchema}
    where k.contype = 'f' and k.conrelid <> k.confrelid`);
  const kept = tables.filter(({ name }) => !leftOut.has(name));
  return inOrder(kept, (name) => links.filter(({ child }) => child === name).map(({ parent }) => parent));
}

/** @throws Error when the references between tables form a cycle, or lead to a table that is left out */
function inOrder(tables: Table[], parentsOf: (name: string) => string[]): Table[] {
  const done = new Set<string>();
  const ordered: Table[] = [];
  while (ordered.length < tables.length) {
    const ready = tables.filter(
      ({ name }) => !done.has(name) && parentsOf(name).every((one) => done.has(one)),
    );
    if (ready.length === 0) throw new Error('the tables of a backup refer to what is not in it');
    for (const table of ready) done.add(table.name);
    ordered.push(...ready);
  }
  return ordered;
}

/** Reads the names of all tables, including those that a backup leaves out. */
export async function allTables(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name from pg_class c ${ofSchema} where c.relkind in ('r', 'p') order by 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Reads the values of all sequences. Sequences ignore the snapshot, so a later read is never behind the
 * rows.
 */
export async function sequences(client: pg.ClientBase): Promise<Sequence[]> {
  const { rows: names } = await client.query<{ name: string; identity: boolean }>(`
    select c.relname::text as name, exists (
      select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'i') as identity
    from pg_class c ${ofSchema} where c.relkind = 'S' order by 1`);
  const found: Sequence[] = [];
  for (const { name, identity } of names) {
    const { rows } = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${client.escapeIdentifier(name)}`,
    );
    found.push(...rows.map((row) => ({ name, identity, ...row })));
  }
  return found;
}
