import { randomBytes } from 'node:crypto';
import { migrate } from '@propusk/api/db/migrate';
import { type OpenDb, openDb } from '@propusk/api/db/open';
import pg from 'pg';

export interface TestDatabase extends OpenDb {
  /** Refuses and ends every connection, as during an outage of the server. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
  drop(): Promise<void>;
}

/**
 * A database of this test file's own, with the product's schema unless `empty`.
 * @param options clauses of CREATE DATABASE
 */
export async function createTestDatabase(
  serverUrl: string,
  { empty = false, options = '' }: { empty?: boolean; options?: string } = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const administer = (statement: string) => runOnce(serverUrl, statement);
  await administer(`create database ${name} ${options}`);
  const url = withDatabase(serverUrl, name);
  const opened = openDb(url);
  if (!empty) await migrate(opened.db);
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

/** An autovacuum that is at work in the database belongs to the superuser: we may not end it, and it is soon done. */
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

/** Whether a server answers at the address. */
export async function canConnect(url: string): Promise<boolean> {
  return runOnce(url, 'select 1').then(
    () => true,
    () => false,
  );
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // A server that is being stopped breaks the connection after its answer.
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
