import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Actor, scopeOf } from '../core/actor.ts';

type Table = 'users' | 'sites';

/** Only an owner may see visits, and only those of the own company. */
const isVisible = (actor: Actor, table: Table) =>
  sql`${sql.ref(`${table}.company_id`)} = ${scopeOf(actor) === 'company' ? actor.companyId : null}::bigint`;

function rowOf(table: Table) {
  const [own, other] = table === 'users' ? ['user_id', 'site_id'] : ['site_id', 'user_id'];
  return sql`from last_visits v where v.company_id = ${sql.ref(`${table}.company_id`)}
    and v.${sql.ref(own ?? '')} = ${sql.ref(`${table}.id`)} and v.${sql.ref(other ?? '')} = 0`;
}

/** SQL for a row's last visit: `at` is null without a visit. Null where the actor may not see it, or where records begin later. */
export const lastVisit = (actor: Actor, table: Table) =>
  sql<{
    at: string | null;
  } | null>`case when ${isVisible(actor, table)} then (select case when count(*) = count(at) then
    json_build_object('at', to_char(max(at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end ${rowOf(table)}) end`;

/** SQL condition: the row has no visit, and the actor may see that. */
export const neverVisited = (actor: Actor, table: Table): RawBuilder<SqlBool> =>
  sql`(${isVisible(actor, table)} and not exists (select ${rowOf(table)}))`;
