import type { Member, Named } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import type { Ends } from '@propusk/contract/times';
import type { UserQuery } from '@propusk/contract/users';
import { type RawBuilder, sql } from 'kysely';
import { type Actor, scopeOf } from '../core/actor.ts';
import { AppError, refuseFaults } from '../core/errors.ts';
import type { Tx } from './open.ts';
import { type Statement, statement } from './pipeline.ts';
import { endsWithin, isoOf } from './times.ts';

const usersOfPolicies = { table: 'policy_members', from: 'policies', own: 'policy_id' } as const;
const sitesOfPolicies = { table: 'policy_sites', from: 'policies', own: 'policy_id' } as const;
const toPolicies = { to: 'policies', other: 'policy_id', field: 'politics' } as const;

/**
 * The tables that link the entities of a company. Each table occurs twice, once from each side. `own` is the column of the entity
 * on this side, `other` is the column of the linked entity. `field` is the name of the list of linked ids in calls. Memberships of
 * policies are read from the view `policy_members`, which joins `policy_users` and `timed_members`.
 */
export const links = {
  policyUsers: { ...usersOfPolicies, to: 'users', other: 'user_id', field: 'users' },
  policySites: { ...sitesOfPolicies, to: 'sites', other: 'site_id', field: 'sites' },
  userPolicies: { ...toPolicies, table: 'policy_members', from: 'users', own: 'user_id' },
  sitePolicies: { ...toPolicies, table: 'policy_sites', from: 'sites', own: 'site_id' },
} as const;

export type Link = (typeof links)[keyof typeof links];
/**
 * Lists of linked ids, by the `field` of the link. If the list of a field is absent, the links of this field stay unchanged.
 * `ends` are the memberships whose end changes.
 */
export type LinkedIds = { readonly [F in Link['field']]?: readonly number[] | undefined } & {
  readonly ends?: Ends;
};

/** The links from the entities of one table to entities of other tables. */
export const linksOf = (table: string): Link[] => Object.values(links).filter(({ from }) => from === table);

const refs = ({ table, from, own, to, other }: Link) =>
  [table, from, own, to, other].map((name) => sql.ref(name));

/** SQL subquery: the ids of the actor's policies. */
export const ownPolicies = ({ companyId, userId }: Actor) =>
  sql`(select policy_id from policy_members where company_id = ${companyId} and user_id = ${userId})`;

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
  const until = link.table === 'policy_members' ? sql`, 'until', ${isoOf(sql`l.ends_at`)}` : sql``;
  return sql<(L['table'] extends 'policy_members' ? Member : Named)[]>`(
    select coalesce(json_agg(json_build_object('id', o.id, 'name', ${name}${until}) order by o.id), '[]')
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
      ${isoOf(sql`max(at)`)}) end ${visit}) end`.as('lastVisit'),
    filter: ({
      policy,
      access,
      visited,
      ends,
    }: Pick<UserQuery, 'policy' | 'access' | 'visited' | 'ends'>) => [
      policy !== undefined && sql`exists (${linked} and l.policy_id = ${policy} and ${seen})`,
      ends !== undefined &&
        sql`exists (select from policy_members l join policies p on p.company_id = l.company_id and p.id = l.policy_id
          where l.company_id = ${company} and l.${own} = ${id} and ${endsWithin(ends, sql`least(l.ends_at, p.valid_until)`)})`,
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
  const isOfMembers = link.table === 'policy_members';
  const stored = sql.ref(isOfMembers ? 'policy_users' : link.table);
  const lost = (
    from: RawBuilder<unknown>,
  ) => sql`delete from ${from} where company_id = ${companyId} and ${own} = any (${ids})
        and (${own}, ${other}) not in (select own, other from pair) returning ${other} as id`;
  // An added or removed link raises the version of the linked entity, because replies with this entity list the link.
  // Rows of unchanged links are not written.
  const set = sql<{ known: number[]; held: number }>`with pair as (
      select given.own, o.id as other
      from unnest(${pairs.map(([id]) => id)}::bigint[], ${pairs.map(([, linked]) => linked)}::bigint[]) as given (own, other)
      join ${to} o on o.company_id = ${companyId} and o.id = given.other
    ), lost as (${lost(stored)})
    ${isOfMembers ? sql`, ended as (${lost(sql`timed_members`)})` : sql``}
    , gone as (select id from lost ${isOfMembers ? sql`union all select id from ended` : sql``})
    -- A trigger can store a membership in another table. The statement then does not return it.
    , come as (
      select own, other as id from pair where not exists (
        select from ${table} l where l.company_id = ${companyId} and l.${own} = pair.own and l.${other} = pair.other)
    ), added as (
      insert into ${stored} (company_id, ${own}, ${other}) select ${companyId}, own, id from come on conflict do nothing
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

/**
 * Returns the statement that sets the ends of memberships. It throws AppError bad_input for a pair of policy and user that is not
 * a membership.
 * @throws AppError too_many_objects for more ends than a company may have links
 * @param given for each end the id of the policy and of the user, and the path of the end in the input
 */
export function setEnds(
  tx: Tx,
  companyId: number,
  given: readonly { policy: number; user: number; until: string; path: string }[],
): Statement<void> {
  refuseBeyond(given.length);
  const set = sql<{
    absent: number[];
  }>`select set_ends(${companyId}, ${given.map(({ policy }) => policy)}::bigint[],
    ${given.map(({ user }) => user)}::bigint[], ${given.map(({ until }) => until || null)}::text[]) as absent`;
  return statement(set.compile(tx), ([row]) => {
    const absent = new Set(row?.absent);
    refuseFaults('bad_input', given, ({ path }, at) =>
      absent.has(at + 1) ? [`${path}.id`, ['gone_from_list']] : null,
    );
  });
}

/** Bounds the links of a company, so that the lists of linked ids fit into one reply. @throws AppError too_many_objects */
function refuseBeyond(held: number): void {
  if (held <= limits.linksPerCompany) return;
  throw new AppError('too_many_objects', { detail: ['too_many_links'] });
}
