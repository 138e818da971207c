import type { User } from '@propusk/contract/me';
import type { CompanyRole } from '@propusk/contract/role-changes';
import type { Role } from '@propusk/contract/roles';
import { sql } from 'kysely';
import { record } from '../audit/store.ts';
import { type Actor, isAdmin } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import { lockCompanyOf } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { pipeline, statement } from '../db/pipeline.ts';
import { changeEntity, deleteEntity, lockRow } from '../entities/change.ts';
import { endAccess, isProtected } from '../identity/account-store.ts';
import { endFactor } from '../identity/factor-store.ts';
import type { Tell } from '../mail/tell-holder.ts';
import { userEntity } from './store.ts';

/**
 * Makes a user of a company an owner or an agent, and ends the user's sessions, gateway tokens and links.
 * @throws AppError not_found, also for another company's user; changed_meanwhile for an outdated version; own_account when the
 *   user is the actor; protected_user for an ADMIN; no_company for a user without a company; last_owner for the only owner
 */
export async function changeRole(
  tx: Tx,
  actor: Actor,
  target: Target,
  role: CompanyRole,
  tell: Tell,
): Promise<User> {
  const { id } = target;
  return changeEntity(tx, actor, userEntity, target, async (user) => {
    if (id === actor.userId) throw ownRole();
    if (user.roles.includes('ADMIN')) {
      throw new AppError('protected_user', { detail: ['role_of_admin'] });
    }
    if (user.company_id === null) throw new AppError('no_company');
    if (role === 'USER' && user.roles.includes('CREATOR')) await keepAnOwner(tx, user.company_id, id);
    if (user.roles.length === 1 && user.roles[0] === role) return null;
    await tell(tx, { what: 'role' });
    return rolesOf(tx, id, [role]);
  });
}

/**
 * Checks that the company has an owner other than `except`. The caller has locked the company, so that two concurrent
 * calls cannot remove the last two owners.
 * @throws AppError last_owner
 */
export async function keepAnOwner(tx: Tx, companyId: number, except: number): Promise<void> {
  await tx
    .selectFrom('users')
    .select('id')
    .where('company_id', '=', companyId)
    .where('id', '<>', except)
    .where('roles', '@>', sql<never>`array['CREATOR']`)
    // An invited owner has no password yet, and a suspended one cannot sign in: neither can manage the company.
    .where('invited', '=', false)
    .where('suspended_at', 'is', null)
    .executeTakeFirstOrThrow(() => new AppError('last_owner'));
}

/**
 * Removes the role ADMIN from another user, and deletes the account if it has no company. An ADMIN cannot
 * remove their own role, so the platform always has an ADMIN.
 * @throws AppError not_found when the user is not an ADMIN; own_account when the user is the actor
 */
export async function removeAdmin(tx: Tx, actor: Actor, id: number, tell: Tell): Promise<void> {
  if (id === actor.userId) throw ownRole();
  await lockAdmins(tx, id);
  const admin = await tx
    .selectFrom('users')
    .select(['company_id', 'roles'])
    .where('id', '=', id)
    .where('roles', '@>', sql<never>`array['ADMIN']`)
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
  await tell(tx, { what: 'removed' });
  const target = { id, ifMatch: null };
  if (admin.company_id === null) return deleteEntity(tx, actor, { ...userEntity, keeps: undefined }, target);
  const others = admin.roles.filter((role) => role !== 'ADMIN');
  await changeEntity(tx, actor, userEntity, target, () =>
    rolesOf(tx, id, others.length > 0 ? others : ['USER']),
  );
}

/** Locks the user's company, then all ADMINs in order of id, so that two ADMINs cannot remove each other at the same time. */
async function lockAdmins(tx: Tx, id: number): Promise<void> {
  const admins = sql`select from users where roles @> array['ADMIN'] order by id for no key update`;
  await pipeline(
    tx,
    lockCompanyOf(tx, 'users', id),
    statement(admins.compile(tx), () => undefined),
  );
}

/** Returns the writes that set the roles of a locked account and revoke the access that its old roles granted. */
function rolesOf(tx: Tx, id: number, roles: Role[]) {
  const afterUpdate = async () => {
    await endAccess(tx, id);
    // Also deletes the user's lock links, because only owners may have them. A lock link shows a site of the company
    // to anyone who has the link.
    for (const table of ['lock_links', 'company_invitations', 'mail_links'] as const)
      await tx.deleteFrom(table).where('made_by', '=', id).execute();
  };
  return { set: { roles }, afterUpdate };
}

const ownRole = () => new AppError('own_account', { detail: ['own_role'] });

/**
 * Resets another user's second factor, and ends the sessions, gateway tokens and mailed links of this user.
 * @throws AppError not_found for an unknown user; own_account when the user is the actor; protected_user when an owner resets a
 *   CREATOR or ADMIN; second_factor_off when the user has no second factor
 */
export async function resetFactor(tx: Tx, actor: Actor, id: number, tell: Tell): Promise<void> {
  const user = await lockRow(tx, actor, userEntity, { id, ifMatch: null });
  if (id === actor.userId) {
    throw new AppError('own_account', { detail: ['own_factor'] });
  }
  if (isProtected(user.roles) && !isAdmin(actor)) {
    throw new AppError('protected_user', { detail: ['factor_of_owner'] });
  }
  await endFactor(tx, id);
  await endAccess(tx, id);
  const { email: name, company_id: companyId } = user;
  await tell(tx, { what: 'factor' });
  await record(tx, actor, { action: 'second_factor_reset', kind: 'user', id, name, companyId });
}
