import type { ListQuery } from '@propusk/contract/fields';
import type { User, UserChange, UserInput } from '@propusk/contract/users';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres';
import { lockCompany, makeRoom, replaceLinks } from '../db/company.ts';
import { contains, paged } from '../db/list.ts';
import type { Db, Tx } from '../db/open.ts';
import type { Tables } from '../db/schema.ts';
import { type Actor, isAdmin, type Member } from '../http/actor.ts';
import { AppError } from '../http/errors.ts';
import { refusing } from '../http/violations.ts';

type Users = ExpressionBuilder<Tables, 'users'>;

/** The people whom an actor may see and change. */
function mayManage(actor: Actor) {
  return (eb: Users): Expression<SqlBool> =>
    isAdmin(actor) ? sql<SqlBool>`true` : eb('users.company_id', '=', actor.companyId);
}

function selectUsers(db: Db) {
  return db.selectFrom('users').select((eb) => [
    'users.id',
    'users.name',
    'users.surname',
    'users.email',
    'users.roles',
    'users.created_at as createdAt',
    'users.updated_at as updatedAt',
    jsonArrayFrom(
      eb
        .selectFrom('policy_users')
        .innerJoin('policies', (join) =>
          join
            .onRef('policies.company_id', '=', 'policy_users.company_id')
            .onRef('policies.id', '=', 'policy_users.policy_id'),
        )
        .select(['policies.id', 'policies.name'])
        .whereRef('policy_users.company_id', '=', 'users.company_id')
        .whereRef('policy_users.user_id', '=', 'users.id')
        .orderBy('policies.id'),
    ).as('politics'),
    jsonObjectFrom(
      eb
        .selectFrom('companies')
        .select(['companies.id', 'company_name as companyName', 'company_site as companySite'])
        .whereRef('companies.id', '=', 'users.company_id'),
    ).as('company'),
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectUsers>['executeTakeFirstOrThrow']>>;
const present = (row: Row): User => ({ ...row, roles: row.roles.map((value) => ({ value })) });

/** The actor's own account. */
export async function findSelf(db: Db, actor: Actor): Promise<User> {
  const row = await selectUsers(db).where('users.id', '=', actor.userId).executeTakeFirst();
  if (row === undefined) throw new AppError('unauthorized');
  return present(row);
}

/** @throws AppError not_found, for another company's user as for none */
export async function findUser(db: Db, actor: Actor, id: number): Promise<User> {
  const row = await selectUsers(db).where('users.id', '=', id).where(mayManage(actor)).executeTakeFirst();
  if (row === undefined) throw new AppError('not_found');
  return present(row);
}

export async function listUsers(
  db: Db,
  actor: Member,
  query: ListQuery,
): Promise<{ rows: User[]; count: number }> {
  const matching = (eb: Users) =>
    eb.and([
      eb('users.company_id', '=', actor.companyId),
      contains([eb.ref('users.name'), eb.ref('users.surname'), eb.ref('users.email')], query.name),
    ]);
  const rows = await paged(selectUsers(db).where(matching), query, sql.ref('users.id')).execute();
  const { count } = await db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(matching)
    .executeTakeFirstOrThrow();
  return { rows: rows.map(present), count };
}

/** @throws AppError email_taken, too_many_objects, or bad_input for a policy that is not the company's */
export async function createUser(
  tx: Tx,
  actor: Member,
  body: UserInput,
  passwordHash: string,
): Promise<User> {
  await lockCompany(tx, actor.companyId);
  await makeRoom(tx, 'users', actor.companyId);
  const { id } = await refusing(
    { users_email_key: emailTaken },
    tx
      .insertInto('users')
      .values({
        company_id: actor.companyId,
        email: body.email,
        name: body.name,
        surname: body.surname,
        password_hash: passwordHash,
        roles: ['USER'],
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  await linkPolicies(tx, actor.companyId, id, body.politics);
  return findUser(tx, actor, id);
}

/**
 * Changes a person. A new password ends the person's sessions and gateway tokens.
 * @throws AppError not_found; protected_user for the password of a CREATOR or ADMIN; email_taken; bad_input
 */
export async function updateUser(
  tx: Tx,
  actor: Actor,
  id: number,
  body: UserChange,
  passwordHash: string | undefined,
): Promise<User> {
  const user = await lockUser(tx, actor, id);
  if (passwordHash !== undefined && isProtected(user.roles)) {
    throw new AppError('protected_user', {
      message: 'Пароль владельца или администратора меняет только он сам',
    });
  }
  // The address is where a password link goes: whoever changes it can take the account.
  if (body.email !== undefined && isProtected(user.roles) && id !== actor.userId && !isAdmin(actor)) {
    throw new AppError('protected_user', {
      message: 'Почту владельца или администратора меняет только он сам',
    });
  }
  await refusing(
    { users_email_key: emailTaken },
    tx
      .updateTable('users')
      .set((eb) => ({
        ...(body.name !== undefined && { name: body.name }),
        ...(body.surname !== undefined && { surname: body.surname }),
        ...(body.email !== undefined && { email: body.email }),
        ...(passwordHash !== undefined && {
          password_hash: passwordHash,
          gateway_epoch: eb('gateway_epoch', '+', 1),
        }),
        updated_at: eb.fn<string>('now'),
      }))
      .where('id', '=', id)
      .execute(),
  );
  if (passwordHash !== undefined) await tx.deleteFrom('sessions').where('user_id', '=', id).execute();
  if (body.politics !== undefined) {
    if (user.company_id === null) throw new AppError('no_company');
    await linkPolicies(tx, user.company_id, id, body.politics);
  }
  return findUser(tx, actor, id);
}

/** @throws AppError not_found, own_account, protected_user */
export async function deleteUser(tx: Tx, actor: Actor, id: number): Promise<void> {
  const user = await lockUser(tx, actor, id);
  if (id === actor.userId) throw new AppError('own_account');
  if (isProtected(user.roles)) throw new AppError('protected_user');
  await tx.deleteFrom('users').where('id', '=', id).execute();
}

/** The refusal of an address that another account has. */
export function emailTaken(): AppError {
  return new AppError('email_taken', { fields: { email: 'Эта почта уже занята' } });
}

const isProtected = (roles: readonly string[]) => roles.includes('ADMIN') || roles.includes('CREATOR');

async function lockUser(tx: Tx, actor: Actor, id: number) {
  const find = () =>
    tx.selectFrom('users').select(['id', 'company_id', 'roles']).where('id', '=', id).where(mayManage(actor));
  const seen = await find().executeTakeFirst();
  if (seen === undefined) throw new AppError('not_found');
  if (seen.company_id !== null) await lockCompany(tx, seen.company_id);
  const user = await find().forUpdate().executeTakeFirst();
  if (user === undefined) throw new AppError('not_found');
  return user;
}

function linkPolicies(tx: Tx, companyId: number, userId: number, ids: readonly number[]): Promise<void> {
  return replaceLinks(tx, {
    table: 'policy_users',
    companyId,
    own: 'user_id',
    ownId: userId,
    other: 'policy_id',
    otherTable: 'policies',
    ids,
    field: 'politics',
  });
}
