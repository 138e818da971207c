import type { Visit, VisitPage, VisitQuery } from '@propusk/contract/records';
import { shownEmails } from '@propusk/contract/shown-email';
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import type { Db } from '../db/open.ts';
import { isoOf } from '../db/times.ts';

/** The longest period for a filter without an index, in milliseconds. */
const LONGEST_MS = 31 * 86_400_000;
/** One reply contains at most this many visits in progress. */
const MOST_LIVE = 1_000;

/** Selects the visits of a company, or of one user of the company. */
interface Scope {
  readonly companyId: number;
  readonly userId?: number;
}

/**
 * One page of a company's visits and refusals, newest first.
 * @throws AppError bad_input for a filter by result, reason or address without a period of at most 31 days
 */
export async function readVisits(db: Db, scope: Scope, query: VisitQuery): Promise<VisitPage> {
  const { take = 50 } = query;
  const { rows } = await found(scope, query, take + 1).execute(db);
  const page = rows.slice(0, take);
  return { rows: page, next: rows.length > take ? cursorOf(page.at(-1)) : null };
}

/**
 * Returns the visits of `readVisits` as JSON lines that PostgreSQL formats. If the api built a JavaScript object for each row, a
 * long export would leave up to 200 MB of garbage.
 * @param more further columns, such as those of `withWords`
 */
export async function readLines(
  db: Db,
  scope: Scope,
  query: VisitQuery & { take: number },
  more: RawBuilder<unknown> = sql``,
) {
  const { rows } = await sql<{ count: number; text: string }>`
    select count(*)::int as count, coalesce(string_agg(to_json(v)::text || e'\n', '' order by "startedAt" desc, id desc), '') as text
    from (${found(scope, query, query.take, more)}) v`.execute(db);
  const { count = 0, text: stored = '' } = rows[0] ?? {};
  const text = shownEmails(stored);
  if (count < query.take) return { text, next: null };
  return {
    text,
    next: cursorOf(JSON.parse(text.slice(text.lastIndexOf('\n', text.length - 2) + 1)) as Visit),
  };
}

/** One visit in an exported file. */
export interface ExportedVisit extends Visit {
  /** When the visit started, in the company's time zone. */
  readonly localTime: string;
  /** The user's mail address; null without a user or for a deleted user. */
  readonly mail: string | null;
}

/** The SQL columns that `ExportedVisit` adds to `Visit`. */
export const withWords = (timeZone: string) =>
  sql`, to_char(r.started_at at time zone ${timeZone}, 'DD.MM.YYYY HH24:MI:SS') as "localTime", u.email::text as mail`;

function cursorOf(last: Visit | undefined): string | null {
  return last === undefined ? null : `${Date.parse(last.startedAt)}-${last.id}`;
}

function found(
  scope: Scope,
  query: VisitQuery,
  take: number,
  more: RawBuilder<unknown> = sql``,
): RawBuilder<Visit> {
  const { user = scope.userId, site, result, reason, address, from, to, before } = query;
  const bounded = from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) <= LONGEST_MS;
  if (!bounded && (result ?? reason ?? address) !== undefined) {
    throw new AppError('bad_input', { fields: { from: ['period_too_long'] } });
  }
  const [ms, id] =
    before === undefined ? [] : [before.slice(0, before.indexOf('-')), before.slice(before.indexOf('-') + 1)];
  return select(
    scope,
    // The subqueries hide the ids of user and site from the planner. Otherwise the plan would depend on how many
    // records of all companies have these ids.
    sql`${and(user, (v) => sql`r.user_id = (select ${v}::bigint)`)} ${and(site, (v) => sql`r.site_id = (select ${v}::bigint)`)}
    ${and(result, (v) => sql`(r.kind = 'refusal') = ${v === 'refused'} and r.kind <> 'loss'`)} ${and(reason, (v) => sql`r.reason = ${v}`)}
    ${and(address, (v) => sql`r.address = ${v}`)} ${and(from, (v) => sql`r.started_at >= ${v}::timestamptz`)}
    ${and(to, (v) => sql`r.started_at < ${v}::timestamptz`)}
    ${and(ms, (v) => sql`(r.started_at, r.id) < (to_timestamp(${v}::bigint / 1000.0), ${id}::uuid)`)}`,
    take,
    more,
  );
}

/** The visits of a company that are in progress. */
export async function readLive(db: Db, companyId: number): Promise<VisitPage> {
  const { rows } = await select({ companyId }, sql`and r.state = 'open'`, MOST_LIVE).execute(db);
  return { rows, next: null };
}

function and<T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>): RawBuilder<unknown> {
  return value === undefined ? sql`` : sql`and ${condition(value)}`;
}

function select(
  scope: Scope,
  where: RawBuilder<unknown>,
  take: number,
  more: RawBuilder<unknown> = sql``,
): RawBuilder<Visit> {
  const named = (id: string, name: string) =>
    sql.raw(`case when ${id} is not null then json_build_object('id', ${id}, 'name', ${name}) end`);
  return sql<Visit>`
    with page as materialized (
      select * from records r where r.company_id = ${scope.companyId} ${and(scope.userId, (v) => sql`r.user_id = ${v}`)} ${where}
      order by r.started_at desc, r.id desc limit ${take}
    )
    select r.id, r.kind, r.state, ${isoOf(sql`r.started_at`)} as "startedAt", r.ms, r.address, r.host, r.port, r.reason, r.count, r.visits, r.up, r.down, r.client,
      ${named('r.user_id', `coalesce(nullif(trim(u.name || ' ' || u.surname), ''), u.email::text, g.name, '')`)} as "user",
      ${named('s.id', 's.shown_address')} as site, ${named('p.id', 'p.name')} as policy, ${named('x.id', 'x.host')} as proxy ${more}
    from page r left join users u on u.id = r.user_id and u.company_id = ${scope.companyId}
      left join record_people g on g.company_id = ${scope.companyId} and g.user_id = r.user_id
      left join sites s on s.id = r.site_id and s.company_id = ${scope.companyId}
      left join policies p on p.id = r.policy_id and p.company_id = ${scope.companyId}
      left join proxies x on x.id = r.proxy_id and x.owner_id in (0, ${scope.companyId})
    order by r.started_at desc, r.id desc`;
}
