import { type RecordBatch, recordsOf } from '@propusk/contract/gateway-records';
import { type VisitEnd } from '@propusk/contract/records';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import type { Member } from '../core/actor.ts';
import { found } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';

/**
 * Stores a batch of access records and, in the same transaction, the batch number. Ignores a batch that the gateway sends again.
 * The first batch of a gateway's run marks the open records of earlier runs as interrupted. Drops records of deleted companies,
 * and records that start more than a day in the future. In the statistics, a visit counts in the hour in which the visit began;
 * requests and bytes count in the hour of the update that reported them. Marks companies with a visit as visited, and
 * notes the last visit of each user and site.
 */
export async function storeBatch(tx: Tx, batch: RecordBatch): Promise<void> {
  const { gateway, run, number } = batch;
  const { rows } = await sql<{ id: number; began: boolean }>`
    insert into record_runs as r (run, gateway, number) values (${run}, ${gateway}, ${number})
    on conflict (run) do update set number = excluded.number, seen_at = now() where r.number < excluded.number
    returning id, xmax = 0 as began`.execute(tx);
  const [stored] = rows;
  if (stored === undefined) return;
  if (stored.began) {
    await sql`update records set state = 'interrupted' where state = 'open'
      and run in (select id from record_runs where gateway = ${gateway} and run <> ${run})`.execute(tx);
  }
  const records = recordsOf(batch);
  if (records.length === 0) return;
  // Of several updates of one record, stores only the last one. Also sorts the rows of the statistics by key, so that
  // concurrent batches do not deadlock.
  await sql`
    with given as (
      select distinct on (g.id) g.* from rows from (jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as (
          id uuid, kind text, "startedAt" timestamptz, ms bigint, open boolean, "companyId" bigint, "userId" bigint,
          "siteId" bigint, "policyId" bigint, "proxyId" bigint, address text, host text, port int, reason text, count int,
          visits int, up bigint, down bigint, client text, at timestamptz)) with ordinality as g
      where (g."companyId" is null or exists (select from companies c where c.id = g."companyId"))
        and g."startedAt" < now() + interval '1 day'
      order by g.id, g.ordinality desc
    ), stored as (
      insert into records (id, started_at, company_id, user_id, site_id, policy_id, proxy_id, up, down, ms, run, count, visits, port, kind,
        state, reason, address, host, client)
      select id, "startedAt", "companyId", "userId", "siteId", "policyId", "proxyId", up, down, ms, ${stored.id}, count, coalesce(visits, 1), port, kind,
        case when open then 'open' else 'closed' end, reason, address, host, client from given
      on conflict (started_at, id) do update set up = excluded.up, down = excluded.down, ms = excluded.ms,
        count = excluded.count, visits = excluded.visits, state = excluded.state, reason = excluded.reason,
        host = excluded.host, address = excluded.address, client = excluded.client
    ), visited as (
      -- Skips a company whose row another transaction has locked. The next visit of the company then sets the column visited.
      update companies set visited = true where id in (
        select id from companies where not visited
          and id in (select "companyId" from given where kind not in ('refusal', 'loss')) for no key update skip locked)
    ), noted as (
      -- Writes a last visit only if it moves forward by five minutes. CASE looks up the user or site only for last visits that move.
      insert into last_visits as l
      select m.company_id, m.user_id, m.site_id, m.at from (
        select g."companyId" as company_id, f.user_id, f.site_id, max(least(coalesce(g.at, g."startedAt" + g.ms * interval '1 ms'), now())) as at
        from given g cross join lateral (values (g."userId", 0::bigint), (0, g."siteId")) as f(user_id, site_id)
        where g.kind not in ('refusal', 'loss') and f.user_id + f.site_id is not null group by 1, 2, 3
      ) m left join last_visits k using (company_id, user_id, site_id)
      where case when k.at is null or k.at <= m.at - interval '5 minutes' then
        exists (select from users u where u.company_id = m.company_id and u.id = m.user_id)
        or exists (select from sites s where s.company_id = m.company_id and s.id = m.site_id) end
      order by 1, 2, 3
      on conflict (company_id, user_id, site_id) do update set at = greatest(l.at, excluded.at)
    )
    insert into record_hours as h (company_id, hour, user_id, site_id, reason, host, visits, count, up, down)
    select g."companyId", date_trunc('hour', f.at, 'UTC'), coalesce(g."userId", 0), coalesce(g."siteId", 0),
      case when g.kind = 'refusal' then g.reason else '' end, case when g.kind = 'refusal' then g.host else '' end,
      sum(f.visits), sum(f.count), sum(f.up), sum(f.down)
    from given g left join records r on r.started_at = g."startedAt" and r.id = g.id
      cross join lateral (values
        (g."startedAt", coalesce(g.visits, 1) - coalesce(r.visits, 0), 0, 0, 0),
        (coalesce(g.at, g."startedAt" + g.ms * interval '1 ms'), 0, g.count - coalesce(r.count, 0), g.up - coalesce(r.up, 0), g.down - coalesce(r.down, 0))
      ) as f(at, visits, count, up, down)
    where (f.visits, f.count, f.up, f.down) <> (0, 0, 0, 0) and g."companyId" is not null and g.kind <> 'loss' group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (company_id, hour, user_id, site_id, reason, host) do update set visits = h.visits + excluded.visits,
      count = h.count + excluded.count, up = h.up + excluded.up, down = h.down + excluded.down`.execute(tx);
}

/**
 * Makes every gateway end one visit, or all visits of one user, in the actor's company. Uses the feed of each api.
 * @throws AppError not_found for a user of another company, and for a visit that is not in progress
 */
export async function endVisits(tx: Tx, actor: Member, body: VisitEnd): Promise<void> {
  const { companyId } = actor;
  const whose =
    'user' in body
      ? sql`u.id = ${body.user}`
      : sql`u.id = (select user_id from records where id = ${body.record} and company_id = ${companyId} and state = 'open')`;
  const { rows } = await sql<{ id: number; email: string }>`select u.id, u.email::text as email from users u
    where u.company_id = ${companyId} and ${whose}`.execute(tx);
  const { id, email } = found(rows[0]);
  await sql`select pg_notify('propusk_end', ${JSON.stringify({ companyId, ...body })})`.execute(tx);
  await record(tx, actor, { action: 'visits_ended', kind: 'user', id, name: email, companyId });
}
