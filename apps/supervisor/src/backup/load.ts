import { finished } from 'node:stream/promises';
import { advisoryLocks } from '@propusk/api/db/advisory-locks';
import { migrate, migrateTo, schemaOf } from '@propusk/api/db/migrate';
import { openDb } from '@propusk/api/db/open';
import { keepPartitions } from '@propusk/api/db/reaper';
import type { Tables } from '@propusk/api/db/schema';
import { createEncryption } from '@propusk/api/encryption';
import { backupParts, backupPhrases } from '@propusk/phrases/launcher';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BackupRefused, damaged } from './backup-refused.ts';
import { copyOf } from './dump.ts';
import type { Sequence } from './frames.ts';
import type { Header } from './header.ts';
import type { Backup } from './reader.ts';
import { allTables, appendOnly } from './tables.ts';
import { inTransaction } from './transaction.ts';

/**
 * The gap between the backup's ids and new ones. Gateway tokens and links may name ids of rows that were
 * created after the backup and are lost; no new row may reuse such an id.
 */
export const ID_GAP = 10_000;

/** Serializes restores into one database. */
const restoring = `select pg_advisory_xact_lock(${advisoryLocks.restore})`;

/**
 * @returns the migration of this program that makes the schema of the file's rows
 * @throws BackupRefused for a file whose schema this program does not know
 */
export async function checkMigration({ migration }: Header): Promise<string> {
  const own = await schemaOf(migration);
  if (own === undefined) throw new BackupRefused(backupPhrases.newerSchema());
  return own;
}

/** @throws BackupRefused when the database holds any table */
export async function checkEmpty(url: string): Promise<void> {
  await inTransaction(url, '', refuseFull);
}

/**
 * Puts a backup into an empty database, and brings its schema to this program's version. Schema and rows come in one
 * transaction: whatever breaks it off leaves the database empty.
 * @throws BackupRefused when the database is not empty, or the file is not what it was when it was verified
 */
export async function load(url: string, backup: Backup): Promise<void> {
  const schema = await checkMigration(backup.header);
  await inTransaction(url, '', async (client) => {
    await client.query(restoring);
    await refuseFull(client);
    await migrateTo(onOneConnection(client), schema);
    const quote = (name: string) => client.escapeIdentifier(name);
    // Skip the append-only tables: no migration inserts rows there, and they have no trigger on INSERT.
    const names = (await allTables(client)).filter((name) => !appendOnly.has(name)).map(quote);
    // Remove the rows that migrations inserted: the backup holds their current versions.
    await client.query(`truncate ${names.join()}`);
    // Disable the user triggers, because the rows already hold the versions and claims that the triggers
    // computed. Foreign keys are still checked.
    for (const name of names) await client.query(`alter table ${name} disable trigger user`);
    await copyRows(client, backup);
    await setSequences(client, backup.contents.sequences);
    // Higher than any epoch issued since the backup: this revokes all gateway tokens.
    await client.query(
      `update users set gateway_epoch = greatest(gateway_epoch + 1, extract(epoch from now())::bigint)`,
    );
    for (const name of names) await client.query(`alter table ${name} enable trigger user`);
    const { rows } = await client.query<{ key_check: Buffer }>('select key_check from platform');
    const { check } = createEncryption(backup.contents.keys.SECRET_KEY);
    if (!rows[0]?.key_check.equals(check)) throw damaged(backupParts.key());
  });
  const opened = openDb(url);
  try {
    await migrate(opened.db);
    // Create the monthly partitions of the restored rows, which COPY put into the default partition.
    await keepPartitions(opened.db, { waitMs: 0 });
  } finally {
    await opened.close();
  }
}

async function refuseFull(client: pg.ClientBase): Promise<void> {
  if ((await allTables(client)).length === 0) return;
  throw new BackupRefused(backupPhrases.databaseNotEmpty());
}

async function copyRows(client: pg.Client, { header, contents, rows }: Backup): Promise<void> {
  const frames = rows();
  let frame = await frames.next();
  for (const table of contents.tables) {
    const stream = client.query(copyFrom(copyOf(client, table, 'from stdin')));
    const done = finished(stream);
    // The failing write, or the await below, reports it.
    done.catch(() => {});
    while (!frame.done && frame.value.table === table.name) {
      const bytes = frame.value.rows;
      await new Promise<void>((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve()));
      });
      frame = await frames.next();
    }
    stream.end();
    await done;
    if (stream.rowCount !== header.tables[table.name]) throw damaged(backupParts.tableRows(table.name));
  }
  if (!frame.done) throw damaged(backupParts.tableOrder());
}

async function setSequences(client: pg.ClientBase, sequences: readonly Sequence[]): Promise<void> {
  for (const { name, value, called, identity } of sequences) {
    const to = BigInt(value) + (identity ? BigInt(ID_GAP) : 0n);
    await client.query('select setval($1::regclass, $2, $3)', [
      client.escapeIdentifier(name),
      String(to),
      called,
    ]);
  }
}

/** A Kysely instance on one client, so that `migrateTo` runs in the client's transaction. */
function onOneConnection(client: pg.Client): Kysely<Tables> {
  const connection = { query: client.query.bind(client), release: () => {} };
  const pool = { connect: async () => connection, end: async () => {} };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as never }) });
}
