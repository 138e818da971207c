import type { Visit, VisitPage, VisitQuery } from '@propusk/contract/records';
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../core/errors.ts';
import type { Db } from '../db/open.ts';

/** The longest period for a filter without an index, in milliseconds. */
const LONGEST_MS = 31 * 86_400_000;
/** Visits that go on, in one reply. */
const MOST_LIVE = 1_000;

/** Whose visits to read: of the company, or of one of its users. */
interface Scope {
  readonly companyId: number;
  readonly userId?: number;
}

/**
 * One page of a company's visits and refusals, newest first.
 * @throws AppError bad_input for a filter by result, reason or address without a period of at most 31 days
 */
export async function readVisits(db: Db, scope: Scope, query: VisitQuery): Promise<VisitPage> {
  const { user = scope.userId, site, result, reason, address, from, to, before, take = 50 } = query;
  const bounded = from !== undefined && to !== undefined && Date.parse(to) - Date.parse(from) <= LONGEST_MS;
  if (!bounded && (result ?? reason ?? address) !== undefined) {
    throw new AppError('bad_input', { fields: { from: ['period_too_long'] } });
  }
  const [ms, id] =
    before === undefined ? [] : [before.slice(0, before.indexOf('-')), before.slice(before.indexOf('-') + 1)];
  const rows = await read(
    db,
    scope,
    sql`${and(user, (v) => sql`r.user_id = ${v}`)} ${and(site, (v) => sql`r.site_id = ${v}`)}
    ${and(result, (v) => sql`(r.kind = 'refusal') = ${v === 'refused'}`)} ${and(reason, (v) => sql`r.reason = ${v}`)}
    ${and(address, (v) => sql`r.address = ${v}`)} ${and(from, (v) => sql`r.started_at >= ${v}::timestamptz`)}
    ${and(to, (v) => sql`r.started_at < ${v}::timestamptz`)}
    ${and(ms, (v) => sql`(r.started_at, r.id) < (to_timestamp(${v}::bigint / 1000.0), ${id}::uuid)`)}`,
    take + 1,
  );
  const page = rows.slice(0, take);
  const last = page.at(-1);
  const next = rows.length > take && last !== undefined ? `${Date.parse(last.startedAt)}-${last.id}` : null;
  return { rows: page, next };
}

/** The visits of a company that go on. */
export async function readLive(db: Db, companyId: number): Promise<VisitPage> {
  return { rows: await read(db, { companyId }, sql`and r.state = 'open'`, MOST_LIVE), next: null };
}

function and<T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>): RawBuilder<unknown> {
  return value === undefined ? sql`` : sql`and ${condition(value)}`;
}

async function read(db: Db, scope: Scope, where: RawBuilder<unknown>, take: number): Promise<Visit[]> {
  const named = (id: string, name: string) =>
    sql.raw(`case when ${id} is not null then json_build_object('id', ${id}, 'name', ${name}) end`);
  const { rows } = await sql<Visit>`
    with page as materialized (
      select * from records r where r.company_id = ${scope.companyId} ${and(scope.userId, (v) => sql`r.user_id = ${v}`)} ${where}
      order by r.started_at desc, r.id desc limit ${take}
    )
    select r.id, r.kind, r.state, r.started_at as "startedAt", r.ms, r.address, r.host, r.port, r.reason, r.count, r.up, r.down, r.client,
      ${named('r.user_id', `coalesce(nullif(trim(u.name || ' ' || u.surname), ''), u.email::text, g.name, '')`)} as "user",
      ${named('s.id', 's.shown_address')} as site, ${named('p.id', 'p.name')} as policy, ${named('x.id', 'x.host')} as proxy
    from page r left join users u on u.id = r.user_id and u.company_id = r.company_id
      left join record_people g on g.company_id = r.company_id and g.user_id = r.user_id
      left join sites s on s.id = r.site_id and s.company_id = r.company_id
      left join policies p on p.id = r.policy_id and p.company_id = r.company_id
      left join proxies x on x.id = r.proxy_id and x.owner_id in (0, r.company_id)
    order by r.started_at desc, r.id desc`.execute(db);
  return rows;
}
