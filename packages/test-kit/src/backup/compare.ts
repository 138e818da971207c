import { keptRows, leftOut } from '@propusk/supervisor/backup/tables';
import type pg from 'pg';

export interface Everything {
  /** All rows as JSON text, including generated columns, without `gateway_epoch`, which a restore raises. */
  readonly tables: Record<string, string[]>;
  readonly sequences: Record<string, string>;
}

/** Reads all data that a backup must preserve. */
export async function everything(pool: pg.Pool): Promise<Everything> {
  const { rows: names } = await pool.query<{ name: string }>(
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const tables: Record<string, string[]> = {};
  for (const { name } of names.filter((table) => !leftOut.has(table.name))) {
    const { rows } = await pool.query<{ row: string }>(
      `select (to_jsonb(t) - 'gateway_epoch')::text as row from ${name} t ${keptRows[name] ?? ''} order by 1`,
    );
    tables[name] = rows.map(({ row }) => row);
  }
  const { rows } = await pool.query<{ name: string; last: string }>(`
    select sequencename::text as name, coalesce(last_value, 0)::text as last from pg_sequences where schemaname = 'public'`);
  return { tables, sequences: Object.fromEntries(rows.map(({ name, last }) => [name, last])) };
}
