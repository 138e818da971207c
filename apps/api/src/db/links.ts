import { limits } from '@propusk/contract/limits';
import type { UserQuery } from '@propusk/contract/users';
import { type RawBuilder, sql } from 'kysely';
import { type Actor, scopeOf } from '../core/actor.ts';
import { AppError, refuseFaults } from '../core/errors.ts';
import type { Tx } from './open.ts';
import { type Statement, statement } from './pipeline.ts';

const usersOfPolicies = { table: 'policy_users', from: 'policies', own: 'policy_id' } as const;
const sitesOfPolicies = { table: 'policy_sites', from: 'policies', own: 'policy_id' } as const;
const toPolicies = { to: 'policies', other: 'policy_id', field: 'politics' } as const;

/**
 * The tables that link the entities of a company. Each table occurs twice, once from each side. `own` is the column of the entity
 * on this side, `other` is the column of the linked entity. `field` is the name of the list of linked ids in calls.
 */
export const links = {
  policyUsers: { ...usersOfPolicies, to: 'users', other: 'user_id', field: 'users' },
  policySites: { ...sitesOfPolicies, to: 'sites', other: 'site_id', field: 'sites' },
  userPolicies: { ...toPolicies, table: 'policy_users', from: 'users', own: 'user_id' },
  sitePolicies: { ...toPolicies, table: 'policy_sites', from: 'sites', own: 'site_id' },
} as const;

export type Link = (typeof links)[keyof typeof links];
/** Lists of linked ids, by the `field` of the link. If the list of a field is absent, the links of this field stay unchanged. */
export type LinkedIds = { readonly [F in Link['field']]?: readonly number[] | undefined };

/** The links from the entities of one table to entities of other tables. */
export const linksOf = (table: string): Link[] => Object.values(links).filter(({ from }) => from === table);

const refs = ({ table, from, own, to, other }: Link) =>
  [table, from, own, to, other].map((name) => sql.ref(name));

/** SQL subquery: the ids of the actor's policies. */
export const ownPolicies = ({ companyId, userId }: Actor) =>
  sql`(select policy_id from policy_users where company_id = ${companyId} and user_id = ${userId})`;

/**
 * Returns SQL for the entities that are linked to each row of a query, as a JSON array in the order of their ids.
 * @param name the SQL of a linked entity's name; `o` is the alias of the entity's row
 * @param which the condition on `o` that a linked entity must meet
 */
export function linkedItems<L extends Link>(
  link: L,
  name: RawBuilder<unknown>,
  which: RawBuilder<unknown> = sql`true`,
) {
  const [table, from, own, to, other] = refs(link);
  return sql<{ id: number; name: string }[]>`(
    select coalesce(json_agg(json_build_object('id', o.id, 'name', ${name}) order by o.id), '[]')
    from ${table} l join ${to} o on o.company_id = l.company_id and o.id = l.${other}
    where l.company_id = ${from}.company_id and l.${own} = ${from}.id and ${which})`.as(
    link.field as L['field'],
  );
}

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

/**
 * Returns the statement that links entities of a company to exactly the given entities of the same company. It throws AppError
 * bad_input when an id belongs to no entity of the company; too_many_objects when the company would have too many links.
 * @param ids the entities on this side of the link
 * @param pairs the id of an entity on this side, and the id of the entity to link, each pair once
 * @param pathOf returns the path of the entity's list of linked ids in the input, for the error
 * @throws AppError too_many_objects for more pairs than a company may have links
 */
export function setLinks(
  tx: Tx,
  link: Link,
  companyId: number,
  ids: readonly number[],
  pairs: readonly (readonly [id: number, linked: number])[],
  pathOf: (id: number) => string,
): Statement<void> {
  // Refuses more pairs than a company may have before they are stored.
  refuseBeyond(pairs.length);
  const [table, , own, to, other] = refs(link);
  // An added or removed link raises the version of the linked entity, because replies with this entity list the link.
  // Rows of unchanged links are not written.
  const set = sql<{ known: number[]; held: number }>`with pair as (
      select given.own, o.id as other
      from unnest(${pairs.map(([id]) => id)}::bigint[], ${pairs.map(([, linked]) => linked)}::bigint[]) as given (own, other)
      join ${to} o on o.company_id = ${companyId} and o.id = given.other
    ), gone as (
      delete from ${table} l where company_id = ${companyId} and ${own} = any (${ids})
        and (${own}, ${other}) not in (select own, other from pair)
      returning ${other} as id
    ), come as (
      insert into ${table} (company_id, ${own}, ${other}) select ${companyId}, own, other from pair
      on conflict do nothing returning ${other} as id
    ), touched as (
      update ${to} set version = version + 1, updated_at = now()
      where company_id = ${companyId} and id in (select id from gone union all select id from come)
    )
    select (select coalesce(json_agg(distinct other), '[]') from pair) as known,
      (select count(*) from ${table} where company_id = ${companyId})
        - (select count(*) from gone) + (select count(*) from come) as held`;
  return statement(set.compile(tx), ([row]) => {
    const known = new Set(row?.known);
    refuseFaults('bad_input', pairs, ([id, linked]) =>
      known.has(linked) ? null : [pathOf(id), ['gone_from_list']],
    );
    // A company beyond the limit may still remove links.
    if (pairs.length > 0) refuseBeyond(row?.held ?? 0);
  });
}

/** Bounds the links of a company, so that the lists of linked ids fit into one reply. @throws AppError too_many_objects */
function refuseBeyond(held: number): void {
  if (held <= limits.linksPerCompany) return;
  throw new AppError('too_many_objects', { detail: ['too_many_links'] });
}
