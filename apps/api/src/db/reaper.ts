import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import { advisoryLocks } from './advisory-locks.ts';
import type { Db } from './open.ts';
import { type Repeating, repeat } from './repeat.ts';
import type { Tables } from './schema.ts';

const TICK_MS = 60_000;
/** Rows per DELETE, so that no statement holds its locks for long. */
const BATCH = 1_000;
/** Batches per table and tick: a process deletes at most 100,000 rows of a table per minute. */
const MOST_BATCHES = 100;
/** The api creates the audit's partitions for this many months ahead. */
const MONTHS_AHEAD = 3;

/** The tables whose rows expire, and the condition of an expired row. Each table has an index for its condition. */
const expiring: Readonly<Partial<Record<keyof Tables | 'rate_limits', string>>> = {
  sessions: 'expires_at < now()',
  pairing_codes: 'expires_at < now()',
  mail_links: 'expires_at < now()',
  lock_links: 'expires_at < now()',
  vantages: 'code_expires_at < now()',
  vantage_tasks: 'expires_at < now()',
  company_invitations: "expires_at < now() - interval '30 days'",
  plan_warnings: "ends_at < now() - interval '30 days'",
  idempotency_keys: "created_at < now() - interval '1 day'",
  rate_limits: 'expire < extract(epoch from now()) * 1000',
};

/**
 * Starts the reaper of an api process. Several processes may run one each: they skip each other's locked rows, and only one
 * at a time maintains the partitions.
 * @param auditMonths how many whole months the audit is kept
 */
export function startReaper({
  db,
  log,
  auditMonths,
}: {
  readonly db: Db;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly auditMonths: number;
}): Repeating {
  async function reap(signal: AbortSignal): Promise<void> {
    const attempt = (failure: string, work: () => Promise<void>) =>
      signal.aborted ? undefined : work().catch((err: unknown) => log.warn({ err }, failure));
    for (const [table, expired] of Object.entries(expiring)) {
      await attempt(`failed to delete expired rows of ${table}`, () =>
        removeRows(db, table, 'ctid', sql.raw(expired), signal),
      );
    }
    await attempt('failed to maintain the partitions of the audit', keepAudit);
  }

  async function keepAudit(): Promise<void> {
    await keepPartitions(db, { waitMs: 200 });
    for (const partition of await dropOldMonths(db, auditMonths))
      log.info({ partition, auditMonths }, 'dropped an audit partition older than AUDIT_RETENTION');
  }

  return repeat(TICK_MS, reap, (err) => log.warn({ err }, 'failed to delete expired rows'));
}

/**
 * Deletes the rows of a table that meet a condition, in batches, at most 100,000 at a time. It skips rows that others lock.
 * @param key tells rows apart: `ctid`, or the primary key of a partitioned table, whose partitions repeat a ctid
 */
export async function removeRows(
  db: Db,
  table: string,
  key: string,
  condition: RawBuilder<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const columns = sql.raw(key);
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
    const found = sql`select ${columns} from ${sql.table(table)} where ${condition} limit ${BATCH} for update skip locked`;
    // PostgreSQL fetches rows by an array of ctids directly, and joins on any other key.
    const which = key === 'ctid' ? sql`ctid = any (array(${found}))` : sql`(${columns}) in (${found})`;
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${which}`.execute(db);
    if (numAffectedRows < BATCH) return;
  }
}

/**
 * Creates the audit's partitions of this month and the next ones, and moves rows of the default partition into them.
 * @param waitMs lock_timeout in milliseconds, because every write of the audit queues behind this lock; 0 waits without end
 */
export async function keepPartitions(db: Db, { waitMs }: { readonly waitMs: number }): Promise<void> {
  await underLock(db, waitMs, (tx) => sql`select add_audit_months(${MONTHS_AHEAD})`.execute(tx));
}

/** @returns the names of the dropped partitions */
async function dropOldMonths(db: Db, months: number): Promise<string[]> {
  const dropped = await underLock(db, 200, (tx) =>
    sql<{ name: string }>`select drop_audit_months(${months}::int) as name`.execute(tx),
  );
  return dropped?.rows.map(({ name }) => name) ?? [];
}

/** @returns null, without running the work, when another process holds the lock */
function underLock<T>(db: Db, waitMs: number, work: (tx: Db) => Promise<T>): Promise<T | null> {
  return db.transaction().execute(async (tx) => {
    // Counting or moving the rows of a month may exceed the statement timeout of calls.
    await sql`select set_config('lock_timeout', ${String(waitMs)}, true), set_config('statement_timeout', '0', true)`.execute(
      tx,
    );
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_xact_lock(${advisoryLocks.auditPartitions}) as held`.execute(tx);
    return rows[0]?.held === true ? work(tx) : null;
  });
}
