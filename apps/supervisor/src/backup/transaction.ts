import { connectionConfig } from '@propusk/api/db/open';
import pg from 'pg';

/**
 * Settings that fix the text format of values for dump and load. There is no statement timeout, because a
 * table may be large.
 */
const manner = `set local timezone = 'UTC'; set local datestyle = 'ISO'; set local intervalstyle = 'postgres';
  set local bytea_output = 'hex'; set local extra_float_digits = 1;
  set local lock_timeout = '60s'; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`;

/** One connection with one transaction on it, which is committed when `work` is done and rolled back when it fails. */
export async function inTransaction<T>(
  url: string,
  mode: 'isolation level repeatable read, read only' | '',
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...connectionConfig(url), application_name: 'propusk-backup' });
  // A lost connection also rejects the query, which reports it.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`begin ${mode}`);
    await client.query(manner);
    const result = await work(client);
    await client.query('commit');
    return result;
  } finally {
    // Ends a transaction that was not committed, whatever state a broken COPY left the connection in.
    await client.end().catch(() => {});
  }
}
