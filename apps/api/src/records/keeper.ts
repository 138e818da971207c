import { sql } from 'kysely';
import { alone, type Background, type Repeating, repeat } from '../db/background.ts';
import type { Db, Tx } from '../db/open.ts';
import { removeRows } from '../db/reaper.ts';
import { applyCuts } from './settings.ts';

const TICK_MS = 60_000;
const HOUR_MS = 3_600_000;
/**
 * When a gateway has sent no batch of access records for this time, the gateway's open records become
 * interrupted. A gateway with open visits sends a batch every 60 s.
 */
const SILENCE = sql.raw(`interval '5 minutes'`);

/**
 * Maintains the access records: marks open records of silent gateways as interrupted, deletes expired records
 * and records of deleted companies, maintains the last visits, and creates the partitions of the next months. Each api process
 * runs one keeper. Concurrent keepers skip rows that another keeper has locked.
 * @param days how long the platform keeps records (`LOG_RETENTION`)
 */
export function startRecordKeeper({ db, log, days }: Background & { readonly days: number }): Repeating {
  const expired = sql`now() - make_interval(days => ${days})`;
  let lastVisitsAt = Number.NEGATIVE_INFINITY;
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
    if (performance.now() - lastVisitsAt < HOUR_MS) return;
    await keepLastVisits(db, signal);
    lastVisitsAt = performance.now();
  }

  return repeat(TICK_MS, work, (err) => log.warn({ err }, 'failed to maintain the records of access'));
}

/**
 * Deletes the last visits of deleted users and sites. During a rolling update, an api of the earlier version stores visits without a
 * last visit. For such visits of the last day, adds the last visit, with the hour of the visit as its time.
 */
async function keepLastVisits(db: Db, signal: AbortSignal): Promise<void> {
  const exist = (
    table: string,
  ) => sql`(exists (select from users where company_id = ${sql.ref(table)}.company_id and id = ${sql.ref(table)}.user_id)
    or exists (select from sites where company_id = ${sql.ref(table)}.company_id and id = ${sql.ref(table)}.site_id))`;
  await removeRows(db, 'last_visits', sql`not ${exist('last_visits')}`, signal);
  const visits = sql`from record_hours where hour at time zone 'UTC' > (now() - interval '1 day') at time zone 'UTC'
    and visits > 0 and reason = ''`;
  await sql`
    with seen as (
      select company_id, user_id, 0 as site_id, least(max(hour), now()) as at ${visits} and user_id <> 0 group by 1, 2
      union all select company_id, 0, site_id, least(max(hour), now()) ${visits} and site_id <> 0 group by 1, 3
    )
    insert into last_visits as l select * from seen where ${exist('seen')} and not exists (select from last_visits k
      where (k.company_id, k.user_id, k.site_id) = (seen.company_id, seen.user_id, seen.site_id) and k.at >= seen.at)
    order by 1, 2, 3 on conflict (company_id, user_id, site_id) do update set at = greatest(l.at, excluded.at)`.execute(
    db,
  );
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
