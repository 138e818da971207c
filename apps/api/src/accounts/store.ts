import { recordOwn } from '../audit/store.ts';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { lockCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';

export interface Account {
  readonly id: number;
  readonly email: string;
  readonly password_hash: string;
}

/** The account of an address, letter case ignored (the column is citext). */
export function findAccount(db: Db, email: string): Promise<Account | undefined> {
  return selectAccounts(db).where('email', '=', email).executeTakeFirst();
}

/** @throws AppError unauthorized when the actor was deleted meanwhile */
export function findOwnAccount(db: Db, actor: Actor): Promise<Account> {
  return selectAccounts(db)
    .where('id', '=', actor.userId)
    .executeTakeFirstOrThrow(() => new AppError('unauthorized'));
}

function selectAccounts(db: Db) {
  return db.selectFrom('users').select(['id', 'email', 'password_hash']);
}

/**
 * Holds an account at the password that was checked until its session is open.
 * @throws AppError bad_login when the password was changed since: no session may outlive it
 */
export async function holdPassword(tx: Tx, account: Account): Promise<void> {
  await selectAccounts(tx)
    .where('id', '=', account.id)
    .where('password_hash', '=', account.password_hash)
    .forShare()
    .executeTakeFirstOrThrow(() => new AppError('bad_login'));
}

/** Locks an account before a change of what it signs in with: its company first, as every write of a company does. */
export async function lockAccount(tx: Tx, userId: number): Promise<Account | undefined> {
  const user = await tx.selectFrom('users').select('company_id').where('id', '=', userId).executeTakeFirst();
  if (user === undefined) return undefined;
  if (user.company_id !== null) await lockCompany(tx, user.company_id);
  return selectAccounts(tx).where('id', '=', userId).forUpdate().executeTakeFirst();
}

/**
 * The actor's own new password. The session that asked goes on, the others end.
 * @param checked the hash that the current password was checked against
 * @throws AppError bad_input when the password was changed since
 */
export async function changeOwnPassword(
  tx: Tx,
  actor: Actor,
  checked: string,
  passwordHash: string,
): Promise<void> {
  const account = await lockAccount(tx, actor.userId);
  if (account?.password_hash !== checked) throw wrongPassword();
  await setPassword(tx, actor.userId, passwordHash, actor.tokenHash);
  await recordOwn(tx, actor, 'password_changed', { secret: 'password' });
}

/** The refusal of a current password that is not the account's. */
export function wrongPassword(): AppError {
  return new AppError('bad_input', { fields: { currentPassword: ['wrong_password'] } });
}

/** The refusal of an address that another account has. */
export function emailTaken(): AppError {
  return new AppError('email_taken', { fields: { email: ['email_taken'] } });
}

/**
 * Sets the password of a locked account. Its sessions, gateway tokens and links in mail end.
 * @param keep the hash of the one token whose session goes on
 */
export async function setPassword(
  tx: Tx,
  userId: number,
  passwordHash: string,
  keep?: Buffer,
): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({
      password_hash: passwordHash,
      version: eb('version', '+', 1),
      updated_at: eb.fn<string>('now'),
    }))
    .where('id', '=', userId)
    .execute();
  await endAccess(tx, userId, keep);
}

/**
 * Ends everything that lets in a person whose account is locked: sessions, gateway tokens, links in mail.
 * @param keep the hash of the one token whose session goes on
 */
export async function endAccess(tx: Tx, userId: number, keep?: Buffer): Promise<void> {
  await endSessions(tx, userId, keep);
  await endGatewayTokens(tx, userId);
  await endLinks(tx, userId);
}

/** Ends the gateway tokens of a locked account. */
export async function endGatewayTokens(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ gateway_epoch: eb('gateway_epoch', '+', 1) }))
    .where('id', '=', userId)
    .execute();
}

/** Notes a change of what others see of a person. */
export async function touchUser(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ version: eb('version', '+', 1), updated_at: eb.fn<string>('now') }))
    .where('id', '=', userId)
    .execute();
}

/** Ends the sessions of a person, all or all but one. */
async function endSessions(tx: Tx, userId: number, except?: Buffer): Promise<void> {
  const sessions = tx.deleteFrom('sessions').where('user_id', '=', userId);
  await (except === undefined ? sessions : sessions.where('token_hash', '<>', except)).execute();
}

/** Ends the links in mail of a person: they were sent for a password or an address that is no more. */
export async function endLinks(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('mail_links').where('user_id', '=', userId).execute();
}

/** Whether a person is an owner or an admin, who are not deleted and get no password from others. */
export const isProtected = (roles: readonly string[]) => roles.includes('ADMIN') || roles.includes('CREATOR');
