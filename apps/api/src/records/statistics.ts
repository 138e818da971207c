import type { CompanyFigures, Statistics, StatisticsQuery } from '@propusk/contract/records';
import { sql } from 'kysely';
import { AppError, found } from '../core/errors.ts';
import type { Db } from '../db/open.ts';
import { isoOf } from '../db/times.ts';
import { supportUntil } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONGEST_MS = 366 * DAY_MS;

/**
 * Reads the statistics of a company for a period, from hourly totals. When the period begins within an hour, that whole hour
 * counts.
 * @throws AppError bad_input for a period that is empty or longer than 366 days
 */
export async function readStatistics(db: Db, companyId: number, query: StatisticsQuery): Promise<Statistics> {
  const { to, step, topBy = 'visits' } = query;
  const from = new Date(Math.floor(Date.parse(query.from) / HOUR_MS) * HOUR_MS).toISOString();
  const length = Date.parse(to) - Date.parse(query.from);
  if (length <= 0 || length > LONGEST_MS)
    throw new AppError('bad_input', { fields: { to: ['no_such_day'] } });
  const earlier = new Date(Date.parse(from) - length).toISOString();
  const since = new Date(Date.now() - 30 * DAY_MS).toISOString();
  const { rows } = await sql<Statistics>`
    with h as materialized (${sums(companyId, { earlier, from, to, step })}),
      most as materialized (select user_id, reason, host_key, count from h where by = 5 and now and refused
        order by count desc, host_key limit 20),
      named as (select user_id, reason, ${hostKey} as host_key, min(host) as host from record_hours
        where company_id = ${companyId} and hour >= ${from}::timestamptz and hour < ${to}::timestamptz
          and (user_id, reason, ${hostKey}) in (select user_id, reason, host_key from most) group by 1, 2, 3),
      used as (select distinct user_id, site_id from record_hours
        where company_id = ${companyId} and hour >= ${since}::timestamptz and reason = '')
    select ${figures},
      array(select json_build_object('at', ${isoOf(sql`at`)}, 'visits', visits, 'bytes', bytes, 'refusals', refusals)
        from (select at, coalesce(sum(visits) filter (where not refused), 0) as visits, sum(bytes) as bytes,
          coalesce(sum(count) filter (where refused), 0) as refusals from h where by = 3 and now group by at) as steps order by at) as chart,
      ${shares('site_id', 6, sql`sites o on o.company_id = ${companyId}`, 'o.shown_address', topBy)} as sites,
      ${shares('user_id', 5, sql`users o on o.company_id = ${companyId}`, userName('o'), topBy)} as users,
      array(select json_build_object('reason', r.reason, 'user', case when u.id is not null then json_build_object('id', u.id, 'name', ${sql.raw(userName('u'))}) end,
          'host', r.host, 'site', case when s.id is not null then json_build_object('id', s.id, 'name', s.shown_address) end, 'count', r.count)
        from (select * from most join named using (user_id, reason, host_key)) as r
        left join users u on u.id = r.user_id and u.company_id = ${companyId}
        left join sites s on s.company_id = ${companyId} and s.address = r.host order by r.count desc, r.host) as refused,
      array(select json_build_object('user', json_build_object('id', u.id, 'name', ${sql.raw(userName('u'))}),
          'site', json_build_object('id', s.id, 'name', s.shown_address))
        from (select distinct l.user_id, p.site_id from policy_members l join policy_sites p using (company_id, policy_id)
          where l.company_id = ${companyId} and coalesce(l.ends_at > now(), true) except select user_id, site_id from used order by 1, 2 limit 50) as idle
        join users u on u.id = idle.user_id join sites s on s.company_id = ${companyId} and s.id = idle.site_id order by u.id, s.id) as unused,
      array(select json_build_object('id', s.id, 'name', s.shown_address) from sites s where s.company_id = ${companyId}
        and s.id not in (select site_id from used) order by s.id limit 50) as idle`.execute(db);
  const [read] = rows;
  if (read === undefined) throw new Error('no row');
  return read;
}

/**
 * Reads a company's statistics of the last 30 days, and the time until which ADMINs may read its visits.
 * @throws AppError not_found
 */
export async function readCompanyFigures(db: Db, companyId: number): Promise<CompanyFigures> {
  const at = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const period = { earlier: at(60), from: at(30), to: at(-1), step: 'day' } as const;
  const { rows } = await sql<CompanyFigures>`
    with h as materialized (${sums(companyId, period)})
    select ${figures}, ${supportUntil} as "supportUntil" from companies c where c.id = ${companyId}`.execute(
    db,
  );
  return found(rows[0]);
}

/**
 * SQL query for the sums of visits and refusals in a period and in the preceding period. `now` is true in rows of the period.
 * `refused` is true in rows of refusals. `by` is the value of grouping(): 3 for sums by time step, 5 for sums by user, reason and
 * host, 6 for sums by site. The query groups by a hash of the host, because grouping by the host takes three times the memory.
 */
function sums(companyId: number, { earlier, from, to, step }: StatisticsQuery & { earlier: string }) {
  return sql`
    select grouping(at, user_id, site_id) as by, now, refused, at, user_id, site_id, reason, host_key, sum(visits) as visits,
      sum(bytes) as bytes, sum(count) as count
    from (select hour >= ${from}::timestamptz as now, reason <> '' as refused,
        date_trunc(${step}, hour, (select time_zone from companies where id = ${companyId})) as at, user_id, site_id, reason, ${hostKey} as host_key,
        visits, up + down as bytes, count
      from record_hours
      where company_id = ${companyId} and hour >= ${earlier}::timestamptz and hour < ${to}::timestamptz) as own
    group by now, refused, grouping sets ((at), (user_id, reason, host_key), (site_id))`;
}

const hostKey = sql.raw('hashtextextended(host, 0)');
const userName = (user: string) =>
  `coalesce(nullif(trim(${user}.name || ' ' || ${user}.surname), ''), ${user}.email::text)`;

/** The SQL columns of the statistics, computed from `h`, the result of the query `sums`. */
const figures = sql.raw(
  [
    figure('people', 'count(*)', 'by = 5 and user_id <> 0 and not refused'),
    figure('visits', 'sum(visits)', 'by = 3 and not refused'),
    figure('bytes', 'sum(bytes)', 'by = 3'),
    figure('refusals', 'sum(count)', 'by = 3 and refused'),
  ].join(),
);

/** @param value the SQL aggregate for the column @param condition selects the rows of `sums` to aggregate */
function figure(name: string, value: string, condition: string): string {
  const of = (period: string) => `coalesce((select ${value} from h where ${condition} and ${period}), 0)`;
  return `json_build_object('now', ${of('now')}, 'before', ${of('not now')}) as ${name}`;
}

/** @param by selects the rows of `sums` that are grouped by the key: 5 for users, 6 for sites */
function shares(
  key: 'site_id' | 'user_id',
  by: number,
  names: ReturnType<typeof sql>,
  name: string,
  order: 'visits' | 'bytes',
) {
  return sql`array(select json_build_object('id', o.id, 'name', ${sql.raw(name)}, 'visits', t.visits, 'bytes', t.bytes)
    from (select ${sql.ref(key)} as key, visits, bytes from h where by = ${by} and now and not refused and ${sql.ref(key)} <> 0
      order by ${sql.ref(order)} desc, 1 limit 10) as t join ${names} and o.id = t.key order by ${sql.ref(`t.${order}`)} desc, o.id)`;
}
