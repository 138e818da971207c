import { readdir, readFile } from 'node:fs/promises';
import { databaseFaults } from '@propusk/phrases/api-start';
import { sql } from 'kysely';
import { type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import type { Db } from './open.ts';

const ours = new URL('./migrations/', import.meta.url);

/** A database that this program cannot use. The message is one Russian line that tells the operator what to do. */
export class DatabaseUnfit extends Error {}

/**
 * Migrates the schema to this program's version: forward only, files in the order of their numbers, in one transaction,
 * under a lock against other processes.
 * @param folder the migration files; a test passes its own
 * @throws DatabaseUnfit when the server is older than 15, its locale cannot fold Cyrillic letters, or its schema is newer
 */
export async function migrate(db: Db, folder = ours): Promise<void> {
  await checkServer(db);
  const provider = { getMigrations: () => readMigrations(folder) };
  return judged(db, await new Migrator({ db, provider }).migrateToLatest());
}

/**
 * Migrates the schema up to the named migration, within the connection's open transaction.
 * @throws DatabaseUnfit as `migrate` does
 */
export async function migrateTo(db: Db, name: string): Promise<void> {
  await checkServer(db);
  const provider = { getMigrations: () => readMigrations(ours) };
  return judged(db, await new Migrator({ db, provider, disableTransactions: true }).migrateTo(name));
}

/** The names of this program's migrations, oldest first. */
export async function migrationNames(): Promise<string[]> {
  return Object.keys(await readMigrations(ours));
}

async function judged(db: Db, { error, results }: MigrationResultSet): Promise<void> {
  if (error === undefined) return checkTrigrams(db);
  const text = error instanceof Error ? error.message : undefined;
  if (/corrupted migrations/.test(text ?? '')) {
    throw new DatabaseUnfit(databaseFaults.newer());
  }
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  throw new DatabaseUnfit(databaseFaults.migrationFailed(failed, text));
}

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  const migrations: Record<string, Migration> = {};
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8');
    migrations[name.replace(/\.sql$/, '')] = {
      up: (db) =>
        sql
          .raw(`set local statement_timeout = 0;\n${text}`)
          .execute(db)
          .then(() => {}),
    };
  }
  return migrations;
}

/** The name Ivan and the letter Yo in Cyrillic, in upper and lower case. */
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

/** pg_trgm classifies letters by LC_CTYPE: under C it extracts no trigrams from Cyrillic text. */
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
