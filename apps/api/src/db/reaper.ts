import { type SqlBool, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from './open.ts';
import type { Tables } from './schema.ts';

const TICK_MS = 60_000;
/** A statement removes so many rows, so that it never holds locks for long. */
const BATCH = 1_000;
/** A look removes so many batches of a table at most: 100,000 rows a minute and process. */
const MOST_BATCHES = 100;
/** Partitions are made for this month and so many after it. */
const MONTHS_AHEAD = 3;
/** The advisory lock of one api process that looks after the partitions. */
const PARTITIONS_LOCK = 7305802;

/** The tables whose rows expire, and the condition of an expired row. Each has an index for it. */
const expiring: Readonly<Partial<Record<keyof Tables | 'rate_limits', string>>> = {
  sessions: 'expires_at < now()',
  pairing_codes: 'expires_at < now()',
  mail_links: 'expires_at < now()',
  lock_links: 'expires_at < now()',
  idempotency_keys: "created_at < now() - interval '1 day'",
  rate_limits: 'expire < extract(epoch from now()) * 1000',
  // A gateway that left never writes again; a living one writes a new row with the next change.
  gateway_acknowledgements: "acknowledged_at < now() - interval '30 days'",
};

/** Removes what has expired, and keeps the partitions of the audit. */
export interface Reaper {
  /** One look over all tables, as the timer does it. Errors reach the log only: the next look tries again. */
  tick(): Promise<void>;
  /** Resolves when the look under way has ended. */
  close(): Promise<void>;
}

/**
 * Starts the reaper of an api process. Several processes may run one each: they skip each other's rows, and one at a time
 * looks after the partitions.
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
}): Reaper {
  const closing = new AbortController();
  let underWay: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    for (const [table, expired] of Object.entries(expiring)) {
      await attempt(`rows of ${table} were not removed`, () => removeExpired(table, expired));
    }
    await attempt('partitions of the audit were not looked after', keepAudit);
  }

  async function attempt(failure: string, work: () => Promise<void>): Promise<void> {
    if (closing.signal.aborted) return;
    await work().catch((err: unknown) => log.warn({ err }, failure));
  }

  async function removeExpired(table: string, expired: string): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !closing.signal.aborted; batch++) {
      const condition = sql.raw<SqlBool>(expired);
      const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ctid = any (array(
        select ctid from ${sql.table(table)} where ${condition} limit ${BATCH} for update skip locked))`.execute(
        db,
      );
      if (numAffectedRows < BATCH) return;
    }
  }

  async function keepAudit(): Promise<void> {
    await keepPartitions(db, { waitMs: 200 });
    for (const partition of await dropOldMonths(db, auditMonths))
      log.info(
        { partition, auditMonths },
        'a month of the audit was older than AUDIT_RETENTION and was dropped',
      );
  }

  const tick = () => (underWay = underWay.then(look));
  const timer = setInterval(tick, TICK_MS).unref();
  void tick();
  return {
    tick,
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await underWay;
    },
  };
}

/**
 * Creates the audit's partitions of this month and the next ones, and moves rows without a month of their own into one.
 * @param waitMs how long a lock is waited for: every write of the audit waits behind it; 0 waits without end
 */
export async function keepPartitions(db: Db, { waitMs }: { readonly waitMs: number }): Promise<void> {
  await underLock(db, waitMs, (tx) => sql`select add_audit_months(${MONTHS_AHEAD})`.execute(tx));
}

/** @returns the names of the partitions that were dropped */
async function dropOldMonths(db: Db, months: number): Promise<string[]> {
  const dropped = await underLock(db, 200, (tx) =>
    sql<{ name: string }>`select drop_audit_months(${months}::int) as name`.execute(tx),
  );
  return dropped?.rows.map(({ name }) => name) ?? [];
}

/** Does nothing where another process holds the lock. */
function underLock<T>(db: Db, waitMs: number, work: (tx: Db) => Promise<T>): Promise<T | null> {
  return db.transaction().execute(async (tx) => {
    // A month has many rows: counting or moving them may take longer than the statements of a call.
    await sql`select set_config('lock_timeout', ${String(waitMs)}, true), set_config('statement_timeout', '0', true)`.execute(
      tx,
    );
    const { rows } = await sql<{ held: boolean }>`
      select pg_try_advisory_xact_lock(${PARTITIONS_LOCK}) as held`.execute(tx);
    return rows[0]?.held === true ? work(tx) : null;
  });
}
