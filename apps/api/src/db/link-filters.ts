import type { UserQuery } from '@propusk/contract/users';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, scopeOf } from '../core/actor.ts';
import { type links, ownPolicies } from './links.ts';

type Side = (typeof links)['userPolicies' | 'sitePolicies'];

/** SQL for the last visit of a row. Only an owner may see visits, and only those of the own company. */
function visitOf({ from, own }: Side, actor: Actor) {
  const [company, id, column, other] = [
    `${from}.company_id`,
    `${from}.id`,
    own,
    own === 'user_id' ? 'site_id' : 'user_id',
  ].map((name) => sql.ref(name));
  const owner = scopeOf(actor) === 'company' ? actor.companyId : null;
  const row = sql`from last_visits v where v.company_id = ${company} and v.${column} = ${id} and v.${other} = 0`;
  return { isVisible: sql`${company} = ${owner}::bigint`, row };
}

/** SQL for a row's last visit: `at` is null without a visit. Null where the actor may not see it, or where records begin later. */
export function lastVisit(side: Side, actor: Actor) {
  const { isVisible, row } = visitOf(side, actor);
  return sql<{
    at: string | null;
  } | null>`case when ${isVisible} then (select case when count(*) = count(at) then
    json_build_object('at', to_char(max(at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end ${row}) end`.as(
    'lastVisit',
  );
}

/** SQL condition of `linkFilters` of the contract. A filter by something that the actor may not see matches no row. */
export function filterByLinks(
  side: Side,
  actor: Actor,
  { policy, access, visited }: Pick<UserQuery, 'policy' | 'access' | 'visited'>,
): RawBuilder<SqlBool> {
  const [table, company, own, id] = [side.table, `${side.from}.company_id`, side.own, `${side.from}.id`].map(
    (name) => sql.ref(name),
  );
  const linked = sql`select from ${table} l where l.company_id = ${company} and l.${own} = ${id}`;
  const seen = scopeOf(actor) === 'own' ? sql`l.policy_id in ${ownPolicies(actor)}` : sql`true`;
  const { isVisible, row } = visitOf(side, actor);
  const conditions = [
    policy === undefined ? sql`true` : sql`exists (${linked} and l.policy_id = ${policy} and ${seen})`,
    access === undefined ? sql`true` : sql`not exists (${linked})`,
    visited === undefined ? sql`true` : sql`${isVisible} and not exists (select ${row})`,
  ];
  return sql`(${sql.join(conditions, sql` and `)})`;
}
