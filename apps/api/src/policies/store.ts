import type { ListQuery } from '@propusk/contract/fields';
import type { Policy, PolicyChange, PolicyInput } from '@propusk/contract/policies';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { type Actor, type Member, type Scope, scopeById, scopeOf } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { IfMatch } from '../core/versions.ts';
import { demandInPlan, makeRoom, replaceLinks, touchLinked } from '../db/company.ts';
import { contains, readList } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import { pipeline, run, type Statement, statement } from '../db/pipeline.ts';
import type { Tables } from '../db/schema.ts';
import { managedBy } from '../db/scope.ts';
import { changeEntity, deleteEntity, type Entity, recordCreated } from '../entities/change.ts';

type Policies = ExpressionBuilder<Tables, 'policies'>;

/** The condition of policies that the actor sees: an owner the company's, a USER the own ones, an admin all. */
function maySee(actor: Actor, scope: Scope) {
  return (eb: Policies): Expression<SqlBool> => {
    if (scope === 'platform') return sql<SqlBool>`true`;
    const ofCompany = eb('policies.company_id', '=', actor.companyId);
    if (scope === 'company') return ofCompany;
    return eb.and([
      ofCompany,
      eb.exists(
        eb
          .selectFrom('policy_users')
          .select(sql`1`.as('one'))
          .whereRef('policy_users.company_id', '=', 'policies.company_id')
          .whereRef('policy_users.policy_id', '=', 'policies.id')
          .where('policy_users.user_id', '=', actor.userId),
      ),
    ]);
  };
}

function selectPolicies(db: Db) {
  return db.selectFrom('policies').select((eb) => [
    'policies.id',
    'policies.name',
    'policies.description',
    'policies.all_sites as allSites',
    'policies.version',
    'policies.created_at as createdAt',
    'policies.updated_at as updatedAt',
    jsonArrayFrom(
      eb
        .selectFrom('proxies')
        .select([
          'proxies.id',
          'proxies.host',
          'proxies.direct',
          'proxies.type',
          'proxies.all_sites as allSites',
        ])
        .whereRef('proxies.owner_id', '=', 'policies.proxy_owner_id')
        .whereRef('proxies.id', '=', 'policies.proxy_id'),
    ).as('proxies'),
    jsonArrayFrom(
      eb
        .selectFrom('policy_users')
        .innerJoin('users', 'users.id', 'policy_users.user_id')
        .select([
          'users.id',
          sql<string>`coalesce(nullif(trim(users.name || ' ' || users.surname), ''), users.email)`.as('name'),
        ])
        .whereRef('policy_users.company_id', '=', 'policies.company_id')
        .whereRef('policy_users.policy_id', '=', 'policies.id')
        .orderBy('users.id'),
    ).as('users'),
    jsonArrayFrom(
      eb
        .selectFrom('policy_sites')
        .innerJoin('sites', (join) =>
          join
            .onRef('sites.company_id', '=', 'policy_sites.company_id')
            .onRef('sites.id', '=', 'policy_sites.site_id'),
        )
        .select(['sites.id', 'sites.shown_address as name'])
        .whereRef('policy_sites.company_id', '=', 'policies.company_id')
        .whereRef('policy_sites.policy_id', '=', 'policies.id')
        .orderBy('sites.id'),
    ).as('sites'),
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectPolicies>['executeTakeFirstOrThrow']>>;

/** Hides the other users of a policy from an actor who is only USER. */
function present(actor: Actor, { proxies, users, allSites: wanted, ...row }: Row): Policy {
  const owner = scopeOf(actor) !== 'own';
  return {
    ...row,
    // A policy applies to all sites only while its proxy allows that.
    allSites: wanted && proxies.some(({ allSites }) => allSites),
    users: owner ? users : users.filter(({ id }) => id === actor.userId),
    proxy: proxies.map(({ id, host, direct, type, allSites }) => ({
      id,
      host,
      direct,
      settings: { type, allSites },
    })),
  };
}

/** @throws AppError not_found, also for another company's policy */
export function findPolicy(db: Db, actor: Actor, id: number): Promise<Policy> {
  return run(db, readPolicy(db, actor, id));
}

function readPolicy(db: Db, actor: Actor, id: number): Statement<Policy> {
  const query = selectPolicies(db)
    .where('policies.id', '=', id)
    .where(maySee(actor, scopeById(actor)));
  return statement(query.compile(), ([row]) => present(actor, found(row)));
}

export async function listPolicies(
  db: Db,
  actor: Actor,
  query: ListQuery,
): Promise<{ rows: Policy[]; count: number }> {
  const matching = selectPolicies(db)
    .where(maySee(actor, scopeOf(actor)))
    .where(contains(['policies.name', 'policies.description'], query.name, scopeOf(actor) === 'platform'));
  const { rows, count } = await readList(matching, query, sql.ref('policies.id'));
  return { rows: rows.map((row) => present(actor, row)), count };
}

/** @throws AppError bad_input for a proxy, user or site of another company; all_sites_refused; not_in_plan; too_many_objects */
export async function createPolicy(tx: Tx, actor: Member, body: PolicyInput): Promise<Policy> {
  await makeRoom(tx, 'policies', actor.companyId);
  const proxy = await findEgress(tx, actor.companyId, body.proxyId);
  allowAllSites(body.allSites, proxy);
  if (body.allSites) await demandInPlan(tx, actor.companyId, 'all_sites');
  const { id } = await tx
    .insertInto('policies')
    .values({
      company_id: actor.companyId,
      name: body.name,
      description: body.description === '' ? body.name : body.description,
      proxy_id: body.proxyId,
      proxy_owner_id: proxy.owner_id,
      all_sites: body.allSites,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const results = await pipeline<[...void[], Policy]>(
    tx,
    ...links(tx, actor.companyId, id, body),
    readPolicy(tx, actor, id),
  );
  const policy = results.at(-1) as Policy;
  await recordCreated(tx, actor, policyEntity, actor.companyId, policy);
  return policy;
}

/** @throws AppError not_found, bad_input, all_sites_refused, changed_meanwhile */
export async function updatePolicy(
  tx: Tx,
  actor: Actor,
  id: number,
  body: PolicyChange,
  ifMatch: IfMatch,
): Promise<Policy> {
  return changeEntity(tx, actor, policyEntity, { id, ifMatch }, async (policy) => {
    const proxy = await findEgress(tx, policy.company_id, body.proxyId ?? policy.proxy_id);
    allowAllSites(body.allSites === true, proxy);
    // A policy that is for all sites already stays so after the plan has lost the feature.
    if (body.allSites === true && !policy.all_sites) await demandInPlan(tx, policy.company_id, 'all_sites');
    // A switch to a proxy that does not allow all sites clears the flag. While the current proxy forbids it, the flag stays.
    const kept = policy.all_sites && (proxy.all_sites || proxy.id === policy.proxy_id);
    return {
      set: {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.description !== undefined && {
          description: body.description === '' ? (body.name ?? policy.name) : body.description,
        }),
        proxy_id: proxy.id,
        proxy_owner_id: proxy.owner_id,
        all_sites: body.allSites ?? kept,
      },
      links: links(tx, policy.company_id, id, body),
    };
  });
}

/** @throws AppError not_found, changed_meanwhile */
export function deletePolicy(tx: Tx, actor: Actor, id: number, ifMatch: IfMatch): Promise<void> {
  return deleteEntity(tx, actor, policyEntity, { id, ifMatch }, ({ company_id: companyId }) => {
    const policy = { companyId, own: 'policy_id', ownId: id } as const;
    return {
      beforeDelete: async () => {
        await touchLinked(tx, { ...policy, table: 'policy_users', other: 'user_id', otherTable: 'users' });
        await touchLinked(tx, { ...policy, table: 'policy_sites', other: 'site_id', otherTable: 'sites' });
      },
    };
  });
}

const policyEntity: Entity<'policies', Policy> = {
  table: 'policies',
  kind: 'policy',
  visible: (actor) => managedBy(actor, 'company_id'),
  read: readPolicy,
  name: ({ name }) => name,
  facts: ({ name, description, allSites, users, sites, proxy }) => ({
    name,
    description,
    proxy: proxy.map(({ host }) => host).join(', '),
    allSites,
    users,
    sites,
  }),
};

/** Finds a proxy that a company's policy may use: the company's own, or the platform's. */
async function findEgress(tx: Tx, companyId: number, proxyId: number) {
  return tx
    .selectFrom('proxies')
    .select(['id', 'owner_id', 'all_sites'])
    .where('id', '=', proxyId)
    .where('owner_id', 'in', [0, companyId])
    .forKeyShare()
    .executeTakeFirstOrThrow(() => new AppError('bad_input', { fields: { proxyId: ['proxy_gone'] } }));
}

function allowAllSites(wanted: boolean, proxy: { all_sites: boolean }): void {
  if (wanted && !proxy.all_sites) throw new AppError('all_sites_refused');
}

/** Replaces the given lists of a policy. An absent list stays unchanged. */
function links(
  tx: Tx,
  companyId: number,
  policyId: number,
  { users, sites }: { users?: readonly number[] | undefined; sites?: readonly number[] | undefined },
): Statement<void>[] {
  const policy = { companyId, own: 'policy_id', ownId: policyId } as const;
  const statements: Statement<void>[] = [];
  if (users !== undefined) {
    const linked = { table: 'policy_users', other: 'user_id', otherTable: 'users', field: 'users' } as const;
    statements.push(replaceLinks(tx, { ...policy, ...linked, ids: users }));
  }
  if (sites !== undefined) {
    const linked = { table: 'policy_sites', other: 'site_id', otherTable: 'sites', field: 'sites' } as const;
    statements.push(replaceLinks(tx, { ...policy, ...linked, ids: sites }));
  }
  return statements;
}
