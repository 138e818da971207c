import { randomBytes } from 'node:crypto';
import { migrate } from '@propusk/api/db/migrate';
import { type OpenDb, openDb } from '@propusk/api/db/open';
import pg from 'pg';

export interface TestDatabase extends OpenDb {
  /** Refuses new connections and ends all others, as in an outage of the server. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
  drop(): Promise<void>;
}

/** The database with the product's schema that `createTestDatabase` copies. */
const TEMPLATE = 'propusk_template';

/** Creates the template on a new server. */
export async function createTemplate(serverUrl: string): Promise<void> {
  await run(serverUrl, `create database ${TEMPLATE}`);
  const { db, close } = openDb(withDatabase(serverUrl, TEMPLATE));
  try {
    await migrate(db);
  } finally {
    await close();
  }
}

/**
 * Creates a database for one test file, with the product's schema unless `empty`.
 * @param options clauses of CREATE DATABASE
 */
export async function createTestDatabase(
  serverUrl: string,
  { empty = false, options = '' }: { empty?: boolean; options?: string } = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const administer = (statement: string) => run(serverUrl, statement);
  const hasTemplate = !empty && (await canConnect(withDatabase(serverUrl, TEMPLATE)));
  await administer(`create database ${name} ${hasTemplate ? `template ${TEMPLATE}` : ''} ${options}`);
  const url = withDatabase(serverUrl, name);
  const opened = openDb(url);
  if (!empty && !hasTemplate) await migrate(opened.db);
  return {
    ...opened,
    shut: async () => {
      await administer(`alter database ${name} allow_connections false`);
      await administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    },
    reopen: () => administer(`alter database ${name} allow_connections true`),
    drop: async () => {
      await opened.close();
      await untilDropped(() => administer(`drop database ${name} with (force)`));
    },
  };
}

/** Retries a drop while autovacuum works in the database: it belongs to the superuser, so we may not end it. */
async function untilDropped(drop: () => Promise<void>, tries = 40): Promise<void> {
  try {
    await drop();
  } catch (error) {
    const refused = error instanceof pg.DatabaseError && error.code === '42501';
    if (!refused || tries === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 250));
    await untilDropped(drop, tries - 1);
  }
}

/** Whether a server answers at the URL. */
export async function canConnect(url: string): Promise<boolean> {
  return run(url, 'select 1').then(
    () => true,
    () => false,
  );
}

/** Runs one statement on a connection of its own. */
export async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // A server during its shutdown breaks the connection after its reply.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  return url.replace(/^(postgresql:\/\/[^/]*\/)[^?]*/, `$1${name}`);
}
