import type { ListQuery } from '@propusk/contract/fields';
import type { Policy, PolicyChange, PolicyInput } from '@propusk/contract/policies';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { lockCompany, makeRoom, replaceLinks } from '../db/company.ts';
import { contains, paged } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import type { Tables } from '../db/schema.ts';
import { type Actor, isAdmin, type Member } from '../http/actor.ts';
import { AppError } from '../http/errors.ts';

type Policies = ExpressionBuilder<Tables, 'policies'>;

function mayManage(actor: Actor) {
  return (eb: Policies): Expression<SqlBool> =>
    isAdmin(actor) ? sql<SqlBool>`true` : eb('policies.company_id', '=', actor.companyId);
}

/** An owner sees the company's policies; a plain USER those that hold them. */
function maySee(actor: Member) {
  return (eb: Policies): Expression<SqlBool> => {
    const ofCompany = eb('policies.company_id', '=', actor.companyId);
    if (actor.roles.includes('CREATOR')) return ofCompany;
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
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectPolicies>['executeTakeFirstOrThrow']>>;

/** Who else is in a policy is for its owner to know. */
function present(actor: Actor, { proxies, users, ...row }: Row): Policy {
  const owner = isAdmin(actor) || actor.roles.includes('CREATOR');
  return {
    ...row,
    users: owner ? users : users.filter(({ id }) => id === actor.userId),
    proxy: proxies.map(({ id, host, direct, type, allSites }) => ({
      id,
      host,
      direct,
      settings: { type, allSites },
    })),
  };
}

async function readPolicy(tx: Tx, actor: Actor, id: number): Promise<Policy> {
  return present(actor, await selectPolicies(tx).where('policies.id', '=', id).executeTakeFirstOrThrow());
}

export async function listPolicies(
  db: Db,
  actor: Member,
  query: ListQuery,
): Promise<{ rows: Policy[]; count: number }> {
  const matching = (eb: Policies) =>
    eb.and([
      maySee(actor)(eb),
      contains([eb.ref('policies.name'), eb.ref('policies.description')], query.name),
    ]);
  const rows = await paged(selectPolicies(db).where(matching), query, sql.ref('policies.id')).execute();
  const { count } = await db
    .selectFrom('policies')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(matching)
    .executeTakeFirstOrThrow();
  return { rows: rows.map((row) => present(actor, row)), count };
}

/** @throws AppError bad_input for a proxy or user that is not the company's, all_sites_refused, too_many_objects */
export async function createPolicy(tx: Tx, actor: Member, body: PolicyInput): Promise<Policy> {
  await lockCompany(tx, actor.companyId);
  await makeRoom(tx, 'policies', actor.companyId);
  const proxy = await findEgress(tx, actor.companyId, body.proxyId);
  allowAllSites(body.allSites, proxy);
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
  await linkUsers(tx, actor.companyId, id, body.users);
  return readPolicy(tx, actor, id);
}

/** @throws AppError not_found, bad_input, all_sites_refused */
export async function updatePolicy(tx: Tx, actor: Actor, id: number, body: PolicyChange): Promise<Policy> {
  const policy = await lockPolicy(tx, actor, id);
  const proxy = await findEgress(tx, policy.company_id, body.proxyId ?? policy.proxy_id);
  const allSites = body.allSites ?? policy.all_sites;
  allowAllSites(allSites, proxy);
  await tx
    .updateTable('policies')
    .set((eb) => ({
      ...(body.name !== undefined && { name: body.name }),
      ...(body.description !== undefined && {
        description: body.description === '' ? (body.name ?? policy.name) : body.description,
      }),
      proxy_id: proxy.id,
      proxy_owner_id: proxy.owner_id,
      all_sites: allSites,
      updated_at: eb.fn<string>('now'),
    }))
    .where('id', '=', id)
    .execute();
  if (body.users !== undefined) await linkUsers(tx, policy.company_id, id, body.users);
  return readPolicy(tx, actor, id);
}

/** @throws AppError not_found */
export async function deletePolicy(tx: Tx, actor: Actor, id: number): Promise<void> {
  await lockPolicy(tx, actor, id);
  await tx.deleteFrom('policies').where('id', '=', id).execute();
}

async function lockPolicy(tx: Tx, actor: Actor, id: number) {
  const find = () =>
    tx
      .selectFrom('policies')
      .select(['company_id', 'name', 'proxy_id', 'all_sites'])
      .where('id', '=', id)
      .where(mayManage(actor));
  const seen = await find().executeTakeFirst();
  if (seen === undefined) throw new AppError('not_found');
  await lockCompany(tx, seen.company_id);
  const policy = await find().executeTakeFirst();
  if (policy === undefined) throw new AppError('not_found');
  return policy;
}

/** A proxy that a company's policy may name: its own, or the platform's. */
async function findEgress(tx: Tx, companyId: number, proxyId: number) {
  return tx
    .selectFrom('proxies')
    .select(['id', 'owner_id', 'all_sites'])
    .where('id', '=', proxyId)
    .where('owner_id', 'in', [0, companyId])
    .forKeyShare()
    .executeTakeFirstOrThrow(
      () => new AppError('bad_input', { fields: { proxyId: 'Такого прокси нет. Обновите страницу' } }),
    );
}

function allowAllSites(wanted: boolean, proxy: { all_sites: boolean }): void {
  if (wanted && !proxy.all_sites) throw new AppError('all_sites_refused');
}

function linkUsers(tx: Tx, companyId: number, policyId: number, ids: readonly number[]): Promise<void> {
  return replaceLinks(tx, {
    table: 'policy_users',
    companyId,
    own: 'policy_id',
    ownId: policyId,
    other: 'user_id',
    otherTable: 'users',
    ids,
    field: 'users',
  });
}
