import type { CompanyFigures, Statistics, StatisticsQuery } from '@propusk/contract/records';
import { sql } from 'kysely';
import { AppError, found } from '../core/errors.ts';
import type { Db } from '../db/open.ts';
import { supportUntil } from './support.ts';

const DAY_MS = 86_400_000;
const LONGEST_MS = 366 * DAY_MS;

/**
 * The figures of a company in a period, from the rows by hour that the stored batches keep current.
 * @throws AppError bad_input for a period that is empty or longer than 366 days, or an unknown time zone
 */
export async function readStatistics(
  db: Db,
  companyId: number,
  { from, to, step, zone }: StatisticsQuery,
): Promise<Statistics> {
  const length = Date.parse(to) - Date.parse(from);
  if (length <= 0 || length > LONGEST_MS)
    throw new AppError('bad_input', { fields: { to: ['no_such_day'] } });
  if (!isZone(zone)) throw new AppError('bad_input', { fields: { zone: ['unfit'] } });
  const earlier = new Date(Date.parse(from) - length).toISOString();
  const since = new Date(Date.now() - 30 * DAY_MS).toISOString();
  const hours = (start: string) =>
    sql`record_hours h where h.company_id = ${companyId} and h.hour >= ${start}::timestamptz`;
  const { rows } = await sql<Statistics>`
    with h as materialized (select * from ${hours(earlier)} and h.hour < ${to}::timestamptz),
      n as (select * from h where hour >= ${from}::timestamptz),
      used as (select distinct user_id, site_id from ${hours(since)} and h.reason = '')
    select ${figures(from)},
      array(select json_build_object('at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'visits', visits, 'bytes', bytes, 'refusals', refusals)
        from (select date_trunc(${step}, hour, ${zone}) as at, coalesce(sum(visits) filter (where reason = ''), 0) as visits,
          sum(up + down) as bytes, coalesce(sum(count) filter (where reason <> ''), 0) as refusals from n group by 1) as steps order by at) as chart,
      ${shares('site_id', sql`sites o on o.company_id = ${companyId}`, 'o.shown_address')} as sites,
      ${shares('user_id', sql`users o on o.company_id = ${companyId}`, userName('o'))} as users,
      array(select json_build_object('reason', r.reason, 'user', case when u.id is not null then json_build_object('id', u.id, 'name', ${sql.raw(userName('u'))}) end,
          'host', r.host, 'site', case when s.id is not null then json_build_object('id', s.id, 'name', s.shown_address) end, 'count', r.count)
        from (select reason, user_id, host, sum(count) as count from records where company_id = ${companyId} and kind = 'refusal'
          and started_at >= ${from}::timestamptz and started_at < ${to}::timestamptz group by 1, 2, 3 order by 4 desc limit 20) as r
        left join users u on u.id = r.user_id and u.company_id = ${companyId}
        left join sites s on s.company_id = ${companyId} and s.address = r.host order by r.count desc, r.host) as refused,
      array(select json_build_object('user', json_build_object('id', u.id, 'name', ${sql.raw(userName('u'))}),
          'site', json_build_object('id', s.id, 'name', s.shown_address))
        from (select distinct l.user_id, p.site_id from policy_users l join policy_sites p using (company_id, policy_id)
          where l.company_id = ${companyId} except select user_id, site_id from used order by 1, 2 limit 50) as idle
        join users u on u.id = idle.user_id join sites s on s.company_id = ${companyId} and s.id = idle.site_id order by u.id, s.id) as unused,
      array(select json_build_object('id', s.id, 'name', s.shown_address) from sites s where s.company_id = ${companyId}
        and s.id not in (select site_id from used) order by s.id limit 50) as idle`.execute(db);
  const [read] = rows;
  if (read === undefined) throw new Error('no row');
  return read;
}

/**
 * The figures of a company in the last 30 days, and the end of the permission to read its visits.
 * @throws AppError not_found
 */
export async function readCompanyFigures(db: Db, companyId: number): Promise<CompanyFigures> {
  const [from, earlier] = [30, 60].map((days) => new Date(Date.now() - days * DAY_MS).toISOString());
  const { rows } = await sql<CompanyFigures>`
    with h as materialized (select * from record_hours where company_id = ${companyId} and hour >= ${earlier}::timestamptz)
    select ${figures(from ?? '')}, ${supportUntil} as "supportUntil" from companies c where c.id = ${companyId}`.execute(
    db,
  );
  return found(rows[0]);
}

const userName = (user: string) =>
  `coalesce(nullif(trim(${user}.name || ' ' || ${user}.surname), ''), ${user}.email::text)`;

/** The columns of the figures, from the rows `h`. @param from the start of the period */
function figures(from: string) {
  return sql`${figure("count(distinct user_id) filter (where user_id <> 0 and reason = '')", from)} as people,
    ${figure("sum(visits) filter (where reason = '')", from)} as visits, ${figure('sum(up + down)', from)} as bytes,
    ${figure("sum(count) filter (where reason <> '')", from)} as refusals`;
}

/** @param value an aggregate over rows of hours */
function figure(value: string, from: string) {
  const text = sql.raw(value);
  return sql`(select json_build_object('now', coalesce((select ${text} from h where hour >= ${from}::timestamptz), 0),
    'before', coalesce((select ${text} from h where hour < ${from}::timestamptz), 0)))`;
}

function shares(key: 'site_id' | 'user_id', names: ReturnType<typeof sql>, name: string) {
  return sql`array(select json_build_object('id', o.id, 'name', ${sql.raw(name)}, 'visits', t.visits, 'bytes', t.bytes)
    from (select ${sql.ref(key)} as key, sum(visits) as visits, sum(up + down) as bytes from n where reason = '' and ${sql.ref(key)} <> 0
      group by 1 order by 2 desc, 1 limit 10) as t join ${names} and o.id = t.key order by t.visits desc, o.id)`;
}

function isZone(zone: string): boolean {
  try {
    return Intl.DateTimeFormat('ru', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}
