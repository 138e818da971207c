import { readdir, readFile } from 'node:fs/promises';
import { databaseFaults } from '@propusk/phrases/api-start';
import { sql } from 'kysely';
import { advisoryLocks } from './advisory-locks.ts';
import type { Db } from './open.ts';

const ours = new URL('./migrations/', import.meta.url);

/**
 * Waits without a timeout for the lock that lets only one process migrate at a time. Later statements wait at
 * most 3 s for other locks.
 */
const LOCK = sql`set local statement_timeout = 0; set local lock_timeout = 0; select pg_advisory_xact_lock(${sql.lit(advisoryLocks.migrations)});
  set local lock_timeout = '3s'`;

/**
 * Release 0.1 recorded twelve migrations in its database; `newest` is the last of these. The migration `file` of this program
 * contains all twelve migrations.
 */
const FIRST_RELEASE = { newest: '012-vantages', file: '001-0.1' };

/** The error for a database that this program cannot use. The message is one Russian line with the remedy. */
export class DatabaseUnfit extends Error {}

/**
 * Migrates the schema to the version of this program. Runs new files in the order of their numbers, in one transaction. A lock
 * keeps other processes from migrating at the same time.
 * @param folder the folder of the migration files
 * @throws DatabaseUnfit when PostgreSQL is older than 15, the locale cannot fold Cyrillic letters, or the schema is too new
 */
export async function migrate(db: Db, folder = ours): Promise<void> {
  await checkServer(db);
  await db.transaction().execute((tx) => applyFiles(tx, folder));
  await checkTrigrams(db);
}

/**
 * Migrates an empty schema up to a migration that `schemaOf` returned, within the connection's open transaction.
 * @throws DatabaseUnfit as `migrate` does
 */
export async function migrateTo(db: Db, name: string): Promise<void> {
  await checkServer(db);
  await applyFiles(db, ours, name);
}

/**
 * Finds the migration of this program that leads to the same schema as a recorded migration.
 * @returns undefined for an unknown name
 */
export async function schemaOf(recorded: string): Promise<string | undefined> {
  const name = recorded === FIRST_RELEASE.newest ? FIRST_RELEASE.file : recorded;
  return (await namesIn(ours)).find((own) => own === name);
}

async function applyFiles(db: Db, folder: URL, last?: string): Promise<void> {
  await LOCK.execute(db);
  // Release 0.1 used Kysely's migrator, which records its migrations in this table.
  await sql`create table if not exists kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`.execute(
    db,
  );
  const record = (name: string) =>
    sql`insert into kysely_migration values (${name}, ${new Date().toISOString()})`.execute(db);
  const read = async () =>
    (await sql<{ name: string }>`select name from kysely_migration`.execute(db)).rows.map(({ name }) => name);
  let applied = await read();
  if (applied.includes(FIRST_RELEASE.newest)) {
    await sql`delete from kysely_migration where name <= ${FIRST_RELEASE.newest}`.execute(db);
    await sql`drop table if exists kysely_migration_lock`.execute(db);
    await record(FIRST_RELEASE.file);
    applied = await read();
  }
  const names = await namesIn(folder);
  if (applied.some((name) => !names.includes(name))) throw new DatabaseUnfit(databaseFaults.newer());
  for (const name of names) {
    if (applied.includes(name) || (last !== undefined && name > last)) continue;
    try {
      await sql.raw(await readFile(new URL(`${name}.sql`, folder), 'utf8')).execute(db);
    } catch (error) {
      throw new DatabaseUnfit(
        databaseFaults.migrationFailed(name, error instanceof Error ? error.message : undefined),
      );
    }
    await record(name);
  }
}

async function namesIn(folder: URL): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return files.map((name) => name.replace(/\.sql$/, '')).toSorted();
}

/** The same Cyrillic text in upper and lower case, to test whether the database folds the case of Cyrillic letters. */
const upper = '\u0418\u0412\u0410\u041d \u0401';
const lower = '\u0438\u0432\u0430\u043d \u0451';

async function checkServer(db: Db): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string; folds: boolean }>`
    select current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding,
      ${upper}::text ilike ${lower} and lower(${upper}::text) = ${lower} as folds`.execute(db);
  const server = rows[0];
  if (server === undefined || server.version < 150_000) {
    throw new DatabaseUnfit(databaseFaults.oldServer());
  }
  // ILIKE, citext and trigram indexes fold case by the database's locale. Under C or SQL_ASCII a lower-case search
  // silently misses an upper-case name.
  if (server.encoding !== 'UTF8' || !server.folds) throw unfitLocale();
}

/** With LC_CTYPE=C, pg_trgm extracts no trigrams from Cyrillic text. */
async function checkTrigrams(db: Db): Promise<void> {
  const { rows } = await sql<{ fit: boolean }>`
    select cardinality(show_trgm(${lower})) > 0 and show_trgm(${upper}) = show_trgm(${lower}) as fit`.execute(
    db,
  );
  if (rows[0]?.fit !== true) throw unfitLocale();
}

function unfitLocale(): DatabaseUnfit {
  return new DatabaseUnfit(databaseFaults.wrongLocale());
}
