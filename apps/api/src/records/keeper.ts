import { sql } from 'kysely';
import { alone, type Background, type Repeating, repeat } from '../db/background.ts';
import type { Db, Tx } from '../db/open.ts';
import { removeRows } from '../db/reaper.ts';
import { applyCuts } from './settings.ts';

const TICK_MS = 60_000;
/**
 * When a gateway has sent no batch of access records for this time, the gateway's open records become
 * interrupted. A gateway with open visits sends a batch every 60 s.
 */
const SILENCE = sql.raw(`interval '5 minutes'`);

/**
 * Maintains the access records: marks open records of silent gateways as interrupted, deletes expired records
 * and records of deleted companies, and creates the partitions of the next months. Each api process runs one
 * keeper. Concurrent keepers skip rows that another keeper has locked.
 * @param days how long the platform keeps records (`LOG_RETENTION`)
 */
export function startRecordKeeper({ db, log, days }: Background & { readonly days: number }): Repeating {
  const expired = sql`now() - make_interval(days => ${days})`;
  const ofDeleted = sql`company_id in (select company_id from record_removals order by company_id limit 100)`;

  async function work(signal: AbortSignal): Promise<void> {
    const maintain = async (tx: Tx) => {
      await sql`select add_record_months(3)`.execute(tx);
      await sql`select drop_record_months(${days}::int)`.execute(tx);
      // A later update of an interrupted record opens it again.
      await sql`update records set state = 'interrupted'
        where state = 'open' and run in (select id from record_runs where seen_at < now() - ${SILENCE})`.execute(
        tx,
      );
    };
    // Gateways cannot store access records while this maintenance locks the table, so each statement has a time limit.
    await alone(db, 'recordPartitions', maintain, { statementMs: 10_000 });
    await removeRows(db, 'records', sql`started_at < ${expired}`, signal);
    await removeRows(db, 'records', ofDeleted, signal);
    const expiredHour = sql`hour at time zone 'UTC' < (${expired}) at time zone 'UTC'`;
    await removeRows(db, 'record_hours', expiredHour, signal);
    await removeRows(db, 'record_people', sql`deleted_at < ${expired}`, signal);
    await applyCuts(db);
    await removeBeyondOwnRetention(db, days, signal);
    for (const table of ['record_hours', 'record_people', 'last_visits'])
      await removeRows(db, table, ofDeleted, signal);
    await sql`delete from record_removals d where not exists (select from records r where r.company_id = d.company_id)
      and not exists (select from record_hours h where h.company_id = d.company_id)`.execute(db);
    await sql`delete from record_runs where seen_at < ${expired}`.execute(db);
  }

  return repeat(TICK_MS, work, (err) => log.warn({ err }, 'failed to maintain the records of access'));
}

const times = { records: 'started_at', record_hours: 'hour', record_people: 'deleted_at' };

/**
 * Deletes records of companies whose retention is shorter than the platform's. Each statement concerns one
 * company, so PostgreSQL can use an index.
 */
async function removeBeyondOwnRetention(db: Db, days: number, signal: AbortSignal): Promise<void> {
  const companies = await db
    .selectFrom('companies')
    .select(['id', 'record_days'])
    .where('record_days', '<', days)
    .execute();
  for (const { id, record_days: own } of companies) {
    const before = (time: string) =>
      sql`company_id = ${id} and ${sql.ref(time)} < now() - make_interval(days => ${own})`;
    for (const [table, time] of Object.entries(times)) await removeRows(db, table, before(time), signal);
  }
}
