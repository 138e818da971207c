import { type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from '../db/open.ts';

const TICK_MS = 60_000;
/** Rows per DELETE, so that no statement holds its locks for long. */
const BATCH = 5_000;
/** Batches per table and tick. */
const MOST_BATCHES = 200;
/** The advisory lock of the process that maintains the partitions. */
const LOCK = 7305803;
/** An open record without an update for this long is interrupted: its gateway updates every 60 s. */
const SILENCE = sql.raw(`interval '5 minutes'`);

/**
 * Maintains the records of access: interrupts those of silent gateways, removes those beyond `LOG_RETENTION` and those of deleted
 * companies, and makes the partitions of the next months. Each api runs one; at a time one of them works.
 * @param days how long records are kept
 */
export function startRecordKeeper({
  db,
  log,
  days,
}: {
  readonly db: Db;
  readonly log: Pick<Logger, 'warn'>;
  readonly days: number;
}): { tick(): Promise<void>; close(): Promise<void> } {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function work(): Promise<void> {
    if (closing.signal.aborted) return;
    const expired = sql`now() - make_interval(days => ${days})`;
    const ofDeleted = sql`(select company_id from record_removals order by company_id limit 100)`;
    // A later update of an interrupted record opens it again.
    await db.transaction().execute(async (tx) => {
      if (!(await isAlone(tx))) return;
      await sql`select add_record_months(3)`.execute(tx);
      await sql`select drop_record_months(${days}::int)`.execute(tx);
      await sql`update records set state = 'interrupted'
        where state = 'open' and started_at + ms * interval '1 ms' < now() - ${SILENCE}`.execute(tx);
    });
    await remove('records', sql`started_at < ${expired}`);
    await remove('record_hours', sql`hour < ${expired}`);
    for (const table of ['records', 'record_hours', 'record_people'])
      await remove(table, sql`company_id in ${ofDeleted}`);
    await sql`delete from record_removals d where not exists (select from records r where r.company_id = d.company_id)
      and not exists (select from record_hours h where h.company_id = d.company_id)`.execute(db);
    await sql`delete from record_runs where seen_at < ${expired}`.execute(db);
  }

  async function remove(table: string, condition: RawBuilder<unknown>): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES && !closing.signal.aborted; batch++) {
      const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where (tableoid, ctid) in (
        select tableoid, ctid from ${sql.table(table)} where ${condition} limit ${BATCH} for update skip locked)`.execute(
        db,
      );
      if (numAffectedRows < BATCH) return;
    }
  }

  const tick = () =>
    (running = running
      .then(work)
      .catch((err: unknown) => log.warn({ err }, 'failed to maintain the records of access')));
  const timer = setInterval(tick, TICK_MS).unref();
  void tick();
  return {
    tick,
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await running;
    },
  };
}

/** Whether no other process maintains the records now. */
async function isAlone(tx: Db): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select set_config('lock_timeout', '200', true),
    pg_try_advisory_xact_lock(${LOCK}) as held`.execute(tx);
  return rows[0]?.held === true;
}
