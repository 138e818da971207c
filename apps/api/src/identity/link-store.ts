import type { LinkUse } from '@propusk/contract/auth';
import type { LinkAccount } from '@propusk/contract/invitations';
import { limits } from '@propusk/contract/limits';
import { type RawBuilder, sql } from 'kysely';
import { type AuditActor, record, recordOwn } from '../audit/store.ts';
import { type Actor, type Member } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { newToken } from '../core/tokens.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import { lockOwnCompany } from '../db/company.ts';
import type { Db, Tx } from '../db/open.ts';
import { type Issued, issue, works } from '../db/secret-links.ts';
import { refusing } from '../db/violations.ts';
import { emailTaken, endAccess, lockAccount, setPassword, touchUser } from './account-store.ts';
import type { LinkKind } from './links.ts';

/** A new mailed link for an account, and the current email of the account. */
type MadeLink = Issued & { readonly email: string };

/**
 * Creates a link that sets a password. The same statements run for an email without an account, so that the response time does
 * not reveal whether the account exists.
 * @returns the link and the account's email; without an account, the email is null and the link does not work
 */
export async function addPasswordLink(tx: Tx, email: string): Promise<Issued & { email: string | null }> {
  // The row lock makes a concurrent change of the email wait. Otherwise a link could go to the old email.
  const account = await tx
    .selectFrom('users')
    .select(['id', 'email'])
    .where('email', '=', email)
    // The first ADMIN can set a password only through the link printed in the terminal.
    .where(sql<boolean>`not (${isWaitingAdmin})`)
    .forShare()
    .executeTakeFirst();
  return { ...(await addLink(tx, account?.id ?? null, null)), email: account?.email ?? null };
}

/**
 * Creates a link that changes the actor's email.
 * @throws AppError email_taken; unauthorized when the session ended meanwhile
 */
export async function addEmailLink(tx: Tx, actor: Actor, newEmail: string): Promise<MadeLink> {
  const gone = () => new AppError('unauthorized');
  const { email } = await tx
    .selectFrom('users')
    .select('email')
    .where('id', '=', actor.userId)
    .forShare()
    .executeTakeFirstOrThrow(gone);
  await demandSession(tx, actor);
  const other = await tx
    .selectFrom('users')
    .select('id')
    .where('email', '=', newEmail)
    .where('id', '<>', actor.userId)
    .executeTakeFirst();
  if (other !== undefined) throw emailTaken();
  await recordOwn(tx, actor, 'email_link_asked', { before: { email }, after: { email: newEmail } });
  return { ...(await addLink(tx, actor.userId, newEmail)), email };
}

/**
 * Checks that the actor's session still exists, and locks its row until the commit. A change of password or role deletes the
 * sessions first and the links afterwards. Such a change either makes this check fail, or waits and then also deletes the new link.
 * @throws AppError unauthorized
 */
async function demandSession(tx: Tx, { tokenHash }: Actor): Promise<void> {
  await tx
    .selectFrom('sessions')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .forKeyShare()
    .executeTakeFirstOrThrow(() => new AppError('unauthorized'));
}

/**
 * Creates a link that confirms the owner's email address. The use of the link also confirms the company.
 * @throws AppError already_confirmed
 */
export async function addConfirmationLink(tx: Tx, owner: Member): Promise<MadeLink> {
  await lockOwnCompany(tx, owner);
  const { email, confirmed } = await tx
    .selectFrom('users')
    .innerJoin('companies', 'companies.id', 'users.company_id')
    .select(['users.email', 'companies.confirmed'])
    .where('users.id', '=', owner.userId)
    .executeTakeFirstOrThrow(() => new AppError('unauthorized'));
  if (confirmed) throw new AppError('already_confirmed');
  return { ...(await addLink(tx, owner.userId, email)), email };
}

/**
 * Creates a link.
 * @param userId null for an email without an account: the same statement runs, but stores nothing
 * @param newEmail the email address that an email link confirms; null for a password link
 */
export function addLink(
  tx: Db,
  userId: number | null,
  newEmail: string | null,
  minutes: number = limits.linkMinutes,
): Promise<Issued> {
  const row = sql`select id, ${newEmail}::citext from users where id = ${userId}`;
  return issue(tx, 'mail_links', minutes * 60, 'user_id, new_email', row);
}

/**
 * Creates invitation links, which replace earlier invitation links of the same users. A link is valid for seven days. It ends
 * earlier if the actor loses the role that permitted the invitation.
 * @param users the users, and when the mail with the link is due, in milliseconds since 1970, by default now
 * @returns the users with their links; the database stores only hashes of the tokens
 * @throws AppError unauthorized when the actor's session has ended meanwhile, for example by a change of role
 */
export async function addInvitationLinks<
  U extends { readonly id: number; readonly dueAt?: number | undefined },
>(tx: Tx, actor: Actor, users: readonly U[]): Promise<(U & Issued)[]> {
  await demandSession(tx, actor);
  const now = Date.now();
  const made = users.map((user) => {
    const expiresAt = new Date((user.dueAt ?? now) + limits.invitationDays * 86_400_000).toISOString();
    return { ...user, ...newToken(), expiresAt };
  });
  const ids = made.map(({ id }) => id);
  if (made.length === 0) return [];
  await tx
    .with('replaced', (db) =>
      db.deleteFrom('mail_links').where('user_id', 'in', ids).where('made_by', 'is not', null),
    )
    .insertInto('mail_links')
    .values(
      made.map(({ id, hash, expiresAt }) => ({
        ...{ token_hash: hash, user_id: id, made_by: actor.userId },
        ...{ new_email: null, expires_at: expiresAt },
      })),
    )
    .execute();
  return made;
}

/** Reads the account of a valid password link. @throws AppError link_dead */
export async function openPasswordLink(db: Db, token: string): Promise<LinkAccount> {
  const { email, invited, company, ...account } = await db
    .selectFrom('mail_links')
    .innerJoin('users', 'users.id', 'mail_links.user_id')
    .leftJoin('companies', 'companies.id', 'users.company_id')
    .select(['users.email', 'users.invited', 'users.name', 'users.surname'])
    .select(['companies.company_name as company', isFirstAdmin.as('firstAdmin')])
    .where(works('mail_links', token))
    .where(ofKind.password)
    .executeTakeFirstOrThrow(linkDead);
  return { ...account, email: email === NO_ADDRESS ? '' : email, invitedBy: invited ? company : null };
}

/** Finds the account of a valid link. @throws AppError link_dead when the link is unknown, used, expired or not of this kind */
export async function findLink(
  db: Db,
  kind: LinkKind,
  token: string,
): Promise<{ user_id: number; new_email: string | null }> {
  return db
    .selectFrom('mail_links')
    .select(['user_id', 'new_email'])
    .where(works('mail_links', token))
    .where(ofKind[kind])
    .executeTakeFirstOrThrow(linkDead);
}

/**
 * Redeems a password link.
 * @param address the caller's IP address
 * @param typed the new email that the first ADMIN typed, or the names that an invited user typed
 * @returns the email of the account
 * @throws AppError link_dead; email_taken; bad_input when the first ADMIN typed no email, another user typed an email, or a user
 *   without an invitation typed names
 */
export async function redeemPasswordLink(
  tx: Tx,
  token: string,
  passwordHash: string,
  address: string,
  typed: Pick<LinkUse, 'email' | 'name' | 'surname'>,
): Promise<string> {
  const { user_id: userId } = await findLink(tx, 'password', token);
  const account = tx
    .selectFrom('users')
    .select(['invited', isWaitingAdmin.as('isWaiting')])
    .where('id', '=', userId);
  const { invited, isWaiting } = await account.executeTakeFirstOrThrow(linkDead);
  if (isWaiting) {
    await lockFirstAdmin(tx);
    await account.where(isFirstAdmin).executeTakeFirstOrThrow(linkDead);
  }
  const stored = await redeem(tx, 'mail_links', { token, userId });
  const email = typed.email ?? stored;
  const isNamed = (typed.name ?? typed.surname) !== undefined;
  if (email === NO_ADDRESS || (typed.email !== undefined && !isWaiting) || (isNamed && !invited))
    throw new AppError('bad_input');
  if (typed.email !== undefined) await moveEmail(tx, userId, typed.email);
  // The redeemed link has locked the account, so that no edit of the names can come between.
  const names = tx.selectFrom('users').select(['name', 'surname']).where('id', '=', userId);
  const before = await names.executeTakeFirstOrThrow();
  const after = { name: typed.name ?? before.name, surname: typed.surname ?? before.surname };
  if (isNamed) await touchUser(tx, userId, after);
  await setPassword(tx, userId, passwordHash);
  const by = { userId, address };
  await recordOwn(tx, by, 'password_reset', { before, after, secret: 'password' });
  await confirmCompanyOf(tx, by);
  return email;
}

/**
 * Redeems an email link. A change of the email ends the account's sessions, gateway tokens and mail links. If
 * the link contains the current email, it only confirms this email.
 * @returns the old email and the new one
 * @throws AppError link_dead, email_taken
 */
export async function redeemEmailLink(
  tx: Tx,
  token: string,
  address: string,
): Promise<{ from: string; to: string }> {
  const { user_id: userId, new_email } = await findLink(tx, 'email', token);
  const from = await redeem(tx, 'mail_links', { token, userId });
  const by = { userId, address };
  const to = new_email as string;
  if (to !== from) await moveEmail(tx, userId, to);
  await recordOwn(tx, by, 'email_confirmed', { before: { email: from }, after: { email: to } });
  await confirmCompanyOf(tx, by);
  if (to !== from) await endAccess(tx, userId);
  return { from, to };
}

/**
 * Confirms the company of an owner who has redeemed a mailed link, and thus reads the mailbox. Does nothing for other
 * users and for a confirmed company. The caller holds the lock of the company.
 */
async function confirmCompanyOf(tx: Tx, by: AuditActor): Promise<void> {
  const owned = tx
    .selectFrom('users')
    .select('company_id')
    .where('id', '=', by.userId)
    .where('roles', '@>', sql<never>`array['CREATOR']`);
  const company = await tx
    .updateTable('companies')
    .set({ confirmed: true })
    .where('id', 'in', owned)
    .where('confirmed', '=', false)
    .returning(['id', 'company_name'])
    .executeTakeFirst();
  if (company === undefined) return;
  const { id, company_name: name } = company;
  await record(tx, by, { action: 'company_confirmed', kind: 'company', id, name, companyId: id });
}

/** @throws AppError email_taken */
async function moveEmail(tx: Tx, userId: number, email: string): Promise<void> {
  await refusing({ users_email_key: emailTaken }, touchUser(tx, userId, { email }));
}

/**
 * Redeems a link or a pairing code: locks the account, then deletes the link or code. If concurrent calls redeem the same token,
 * only one call succeeds. A concurrent change of the password waits for the lock.
 * @param dead creates the error for an invalid token
 * @returns the email of the account
 * @throws AppError the result of `dead` when the token is invalid
 */
export async function redeem(
  tx: Tx,
  table: 'mail_links' | 'pairing_codes',
  { token, userId, dead = linkDead }: { token: string; userId: number; dead?: () => AppError },
): Promise<string> {
  const account = await lockAccount(tx, userId);
  const used = await sql`delete from ${sql.raw(table)} where ${works(table, token)}`.execute(tx);
  if (account === undefined || used.numAffectedRows === 0n) throw dead();
  return account.email;
}

/**
 * A placeholder for the email of the first ADMIN, who later types the real email. The schema `Email` rejects the
 * placeholder in sign-ins and in requests for links.
 */
export const NO_ADDRESS = 'admin@localhost';

/**
 * SQL condition: the user is an ADMIN without a password. Only `putAdmin` creates such an ADMIN; other
 * accounts have a password before they become ADMIN.
 */
export const isWaitingAdmin = sql<boolean>`users.invited and users.roles @> array['ADMIN']`;

/** SQL condition: the user is an ADMIN without a password, and no ADMIN has a password yet. */
export const isFirstAdmin = sql<boolean>`${isWaitingAdmin}
  and not exists (select from users other where other.roles @> array['ADMIN'] and not other.invited)`;

/** Locks the creation of the first ADMIN for this transaction. To avoid deadlocks, take this lock before an account's lock. */
export async function lockFirstAdmin(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.firstAdmin})`.execute(tx);
}

const linkDead = () => new AppError('link_dead');

const ofKind: Readonly<Record<LinkKind, RawBuilder<boolean>>> = {
  password: sql`new_email is null`,
  email: sql`new_email is not null`,
};
