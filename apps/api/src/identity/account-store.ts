import { sql, type Updateable } from 'kysely';
import { recordOwn } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lockCompanyOf } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { pipeline, type Statement, statement } from '../db/pipeline.ts';
import type { Tables } from '../db/schema.ts';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly password_hash: string;
}

/** Finds the account with an email, and its encrypted second-factor secret. Letter case does not count (citext). */
export function findAccount(
  db: Db,
  email: string,
): Promise<(Account & { sealed: Buffer | null }) | undefined> {
  return selectAccounts(db)
    .select((eb) =>
      eb
        .selectFrom('second_factors')
        .select('secret_sealed')
        .whereRef('user_id', '=', 'users.id')
        .where('confirmed_at', 'is not', null)
        .as('sealed'),
    )
    .where('email', '=', email)
    .executeTakeFirst();
}

/** @throws AppError unauthorized when the actor's account no longer exists */
export function findOwnAccount(db: Db, actor: Actor): Promise<Account> {
  return selectAccounts(db)
    .where('id', '=', actor.userId)
    .executeTakeFirstOrThrow(() => new AppError('unauthorized'));
}

function selectAccounts(db: Db) {
  return db.selectFrom('users').select(['id', 'email', 'password_hash']);
}

/**
 * Returns a statement that locks an account until its new session is stored, so that the password cannot change in between. The
 * statement throws AppError bad_login when the password has changed since its check.
 */
export function holdPassword(db: Db, account: Account): Statement<void> {
  const held = db
    .selectFrom('users')
    .select('id')
    .where('id', '=', account.id)
    .where('password_hash', '=', account.password_hash)
    .forShare();
  return statement(held.compile(), (rows) => {
    if (rows.length === 0) throw new AppError('bad_login');
  });
}

/**
 * Locks an account before a change of its credentials. Locks the account's company first, as all writes do,
 * so that writes cannot deadlock.
 */
export async function lockAccount(tx: Tx, userId: number): Promise<Account | undefined> {
  const lock = selectAccounts(tx).where('id', '=', userId).forUpdate();
  const [, account] = await pipeline(
    tx,
    lockCompanyOf(tx, 'users', userId),
    statement(lock.compile(), ([row]) => row),
  );
  return account;
}

/** Locks the actor's account. @throws AppError bad_input when the password has changed since it was checked */
export async function lockChecked(tx: Tx, { userId }: Actor, checked: string): Promise<void> {
  if ((await lockAccount(tx, userId))?.password_hash !== checked) throw wrongPassword();
}

/**
 * Sets the actor's own new password. The current session stays; the others end.
 * @param checked the hash that the current password was checked against
 * @throws AppError bad_input when the password changed since its check
 */
export async function setOwnPassword(
  tx: Tx,
  actor: Actor,
  checked: string,
  passwordHash: string,
): Promise<void> {
  await lockChecked(tx, actor, checked);
  await setPassword(tx, actor.userId, passwordHash, actor.tokenHash);
  await recordOwn(tx, actor, 'password_changed', { secret: 'password' });
}

/** The error for a wrong current password. */
export function wrongPassword(): AppError {
  return new AppError('bad_input', { fields: { currentPassword: ['wrong_password'] } });
}

/** The error for an email that another account has. */
export function emailTaken(): AppError {
  return new AppError('email_taken', { fields: { email: ['email_taken'] } });
}

/**
 * Sets the password of an account, and ends its sessions, gateway tokens and mail links. The caller has locked the account row.
 * @param keep the token hash of the one session that stays
 */
export async function setPassword(
  tx: Tx,
  userId: number,
  passwordHash: string,
  keep?: Buffer,
): Promise<void> {
  await touchUser(tx, userId, { password_hash: passwordHash, invited: false });
  await endAccess(tx, userId, keep);
}

/**
 * Ends the sessions, gateway tokens and mail links of an account. The caller has locked the account row.
 * @param keep the token hash of the one session that stays
 */
export async function endAccess(tx: Tx, userId: number, keep?: Buffer): Promise<void> {
  await endSessions(tx, userId, keep);
  await endLinks(tx, userId);
}

/** Ends the sessions and gateway tokens of an account. The caller has locked the account row. @param keep as in `endAccess` */
export async function endSessions(tx: Tx, userId: number, keep?: Buffer): Promise<void> {
  const sessions = tx.deleteFrom('sessions').where('user_id', '=', userId);
  await (keep === undefined ? sessions : sessions.where('token_hash', '<>', keep)).execute();
  await endGatewayTokens(tx, userId);
}

/** Ends the gateway tokens of an account. The caller has locked the account row. */
export async function endGatewayTokens(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ gateway_epoch: eb('gateway_epoch', '+', 1) }))
    .where('id', '=', userId)
    .execute();
}

/**
 * Updates columns of users and raises the version of each user. Callers omit `changed` to raise only the version after a
 * change of the user's data in another table.
 */
export async function touchUser(
  tx: Tx,
  userId: number | readonly number[],
  changed: Updateable<Tables['users']> = {},
): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ ...changed, version: eb('version', '+', 1), updated_at: eb.fn<string>('now') }))
    .where('id', '=', sql<number>`any (${[userId].flat()})`)
    .execute();
}

/** Ends all links that were mailed to a user. */
export async function endLinks(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('mail_links').where('user_id', '=', userId).execute();
}

/** Whether a user is an owner or an ADMIN. Calls that manage agents cannot delete these users or set their passwords. */
export const isProtected = (roles: readonly string[]) => roles.includes('ADMIN') || roles.includes('CREATOR');
