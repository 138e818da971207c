import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import { alone, type Background, type Repeating, repeat } from './background.ts';
import type { Db, Tx } from './open.ts';
import type { Tables } from './schema.ts';

const TICK_MS = 60_000;
/** Rows per DELETE, so that no statement holds its locks for long. */
const BATCH = 1_000;
/** A process deletes at most this many batches of a table per minute, which is 100,000 rows. */
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
 * Starts the reaper of an api process. Every process may run a reaper: rows that another reaper has locked
 * are skipped, and only one reaper at a time maintains the partitions.
 * @param auditMonths how many whole months the audit is kept
 */
export function startReaper({
  db,
  log,
  auditMonths,
}: Background & { readonly log: Pick<Logger, 'info'>; readonly auditMonths: number }): Repeating {
  async function reap(signal: AbortSignal): Promise<void> {
    const attempt = (failure: string, work: () => Promise<void>) =>
      signal.aborted ? undefined : work().catch((err: unknown) => log.warn({ err }, failure));
    for (const [table, expired] of Object.entries(expiring)) {
      await attempt(`failed to delete expired rows of ${table}`, () =>
        removeRows(db, table, sql.raw(expired), signal),
      );
    }
    await attempt('failed to maintain the partitions of the audit', keepAudit);
  }

  async function keepAudit(): Promise<void> {
    await keepPartitions(db, { waitMs: 200 });
    const dropped = await alone(db, 'auditPartitions', (tx) =>
      sql<{ partition: string }>`select drop_audit_months(${auditMonths}::int) as partition`.execute(tx),
    );
    for (const { partition } of dropped?.rows ?? [])
      log.info({ partition, auditMonths }, 'dropped an audit partition older than AUDIT_RETENTION');
  }

  return repeat(TICK_MS, reap, (err) => log.warn({ err }, 'failed to delete expired rows'));
}

/** Deletes rows that meet a condition, in batches, at most 100,000 rows per call. Skips rows locked by other transactions. */
export async function removeRows(
  db: Db,
  table: string,
  condition: RawBuilder<unknown>,
  signal: AbortSignal,
): Promise<void> {
  // Rows in different partitions of `records` may have the same ctid, so they are deleted by key, with a
  // join. Rows of other tables are deleted by ctid, because PostgreSQL fetches an array of ctids directly.
  const isPartitioned = table === 'records';
  const key = sql.raw(isPartitioned ? 'started_at, id' : 'ctid');
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) {
    const found = sql`select ${key} from ${sql.table(table)} where ${condition} limit ${BATCH} for update skip locked`;
    const which = isPartitioned ? sql`(${key}) in (${found})` : sql`ctid = any (array(${found}))`;
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ${which}`.execute(db);
    if (numAffectedRows < BATCH) return;
  }
}

/**
 * Creates the audit's partitions up to MONTHS_AHEAD months ahead. Moves rows from the default partition into these partitions.
 * @param waitMs lock_timeout in milliseconds; 0 means no limit. While this function waits for its lock, audit writes wait too.
 */
export async function keepPartitions(db: Db, { waitMs }: { readonly waitMs: number }): Promise<void> {
  const add = (tx: Tx) => sql`select add_audit_months(${MONTHS_AHEAD})`.execute(tx);
  await alone(db, 'auditPartitions', add, { waitMs });
}
