import { setTimeout as sleep } from 'node:timers/promises';
import { databasePhrases } from '@propusk/phrases/launcher';
import { StartError } from '@propusk/processes/start-error';
import pg from 'pg';

const pollMs = 20;
/** Timeout of a server that does not answer at all, not even that it is starting. */
const silenceMs = 60_000;
/** Timeout of a recovery. It replays at most max_wal_size, which takes seconds, or minutes on a very slow disk. */
const recoveryMs = 10 * 60_000;

const stillStarting = '57P03';
const noDatabase = '3D000';
const noRole = '28000';

/**
 * The connection string of the embedded database for node-postgres. It states port and TLS mode explicitly, because PGPORT and
 * PGSSLMODE of the environment would otherwise apply.
 * @param socketDir the folder with the socket
 */
export function urlOf(socketDir: string, role = 'propusk', database = 'propusk'): string {
  return `postgresql://${role}@/${database}?host=${encodeURIComponent(socketDir)}&port=5432&sslmode=disable`;
}

/**
 * Waits until the database answers a query. Creates role and database when they are absent: at a first start, or after one that
 * was killed before it created them.
 * @param exited rejects with the reason when the server ends before it is ready
 * @param explain turns the error of a server that runs but cannot serve into a StartError
 * @throws StartError when the server does not answer, or the error of `exited` or `explain`
 */
export async function waitUntilReady(
  socketDir: string,
  exited: Promise<never>,
  explain: (answer: string) => StartError,
  say: (line: string) => void,
): Promise<void> {
  const began = Date.now();
  let patienceMs = silenceMs;
  let reported = false;
  for (;;) {
    const failure = await Promise.race([attempt(socketDir, say), exited]);
    if (failure === undefined) return;
    if (!isPassing(failure)) throw explain(failure.message);
    const recovering = failure.code === stillStarting;
    if (recovering) patienceMs = recoveryMs;
    const waited = Date.now() - began;
    if (waited > patienceMs) throw new StartError(databasePhrases.silent(), { cause: failure });
    if (recovering && waited > 5_000 && !reported) {
      reported = true;
      say(databasePhrases.recovering());
    }
    await Promise.race([sleep(pollMs), exited]);
  }
}

/** One attempt. @returns the error; undefined when the database is ready */
async function attempt(
  socketDir: string,
  say: (line: string) => void,
): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await check(socketDir, say).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== noDatabase && error.code !== noRole) throw error;
      await provision(socketDir);
      await check(socketDir, say);
    });
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

async function check(socketDir: string, say: (line: string) => void): Promise<void> {
  const [row] = await query<{ stale: boolean }>(
    urlOf(socketDir),
    `select datcollversion is distinct from pg_database_collation_actual_version(oid) as stale
     from pg_database where datname = current_database()`,
  );
  if (row?.stale) await refreshCollation(socketDir, say);
}

/** Whether an error is temporary: the server is starting, or stopping, and then `exited` rejects. */
function isPassing({ code = '', message }: NodeJS.ErrnoException): boolean {
  const codes = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', stillStarting];
  return codes.includes(code) || message.startsWith('Connection terminated');
}

async function provision(socketDir: string): Promise<void> {
  const admin = urlOf(socketDir, 'postgres', 'postgres');
  if ((await query(admin, "select from pg_roles where rolname = 'propusk'")).length === 0) {
    await query(admin, 'create role propusk login createdb');
  }
  if ((await query(admin, "select from pg_database where datname = 'propusk'")).length === 0) {
    await query(admin, 'create database propusk owner propusk');
  }
}

/**
 * Rebuilds the text indexes after a package update with another ICU version. Its sort order may differ, and an index in the old
 * order silently misses rows.
 */
async function refreshCollation(socketDir: string, say: (line: string) => void): Promise<void> {
  say(databasePhrases.rebuildingIndexes());
  const admin = urlOf(socketDir, 'postgres', 'propusk');
  await query(admin, 'reindex database propusk');
  for (const name of ['template1', 'postgres', 'propusk']) {
    await query(admin, `alter database ${name} refresh collation version`);
  }
}

export async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // An idle client that loses its server emits; the query's own rejection is the one that counts.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
