import type { UserQuery } from '@propusk/contract/users';
import { sql } from 'kysely';
import { type Actor, scopeOf } from '../core/actor.ts';
import { type links, ownPolicies } from './links.ts';

/**
 * SQL for the users or sites of a query: their last visit, and the conditions of the contract's `linkFilters`. Only an owner may see
 * visits, and only those of the own company. A filter by something that the actor may not see matches no row.
 */
export function linkSql(side: (typeof links)['userPolicies' | 'sitePolicies'], actor: Actor) {
  const [table, own] = [sql.ref(side.table), sql.ref(side.own)];
  const [company, id] = [sql.ref(`${side.from}.company_id`), sql.ref(`${side.from}.id`)];
  const scope = scopeOf(actor);
  const isVisible = sql`${company} = ${scope === 'company' ? actor.companyId : null}::bigint`;
  const other = sql.ref(side.own === 'user_id' ? 'site_id' : 'user_id');
  const visit = sql`from last_visits v where v.company_id = ${company} and v.${own} = ${id} and v.${other} = 0`;
  const linked = sql`select from ${table} l where l.company_id = ${company} and l.${own} = ${id}`;
  const seen = scope === 'own' ? sql`l.policy_id in ${ownPolicies(actor)}` : sql`true`;
  return {
    /**
     * JSON whose `at` is null if there was no visit. The whole value is null if the actor may not see visits, or if there may have
     * been visits before the first kept record.
     */
    lastVisit: sql<{
      at: string | null;
    } | null>`case when ${isVisible} then (select case when count(*) = count(at) then json_build_object('at',
      to_char(max(at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end ${visit}) end`.as(
      'lastVisit',
    ),
    filter: ({ policy, access, visited }: Pick<UserQuery, 'policy' | 'access' | 'visited'>) => [
      policy !== undefined && sql`exists (${linked} and l.policy_id = ${policy} and ${seen})`,
      access !== undefined && sql`not exists (${linked})`,
      visited !== undefined && sql`${isVisible} and not exists (select ${visit})`,
    ],
  };
}
