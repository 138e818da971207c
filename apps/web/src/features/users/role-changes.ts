import type { User } from '@propusk/contract/me';
import { rolesOf } from '../../entities/user/me.tsx';

/** The changes that the dialog makes: of a role, the reset of a second factor, a suspension or its end. */
export type RoleStep = 'makeOwner' | 'dropOwner' | 'dropAdmin' | 'resetFactor' | 'suspend' | 'resume';

type Holder = Pick<User, 'id' | 'roles' | 'company'>;

/** Whether a user is an ADMIN or CREATOR: for them the console offers no deletion and no new password (spec section 6). */
export function isProtected(user: Pick<User, 'roles'>): boolean {
  return rolesOf(user).some((role) => role !== 'USER');
}

/** Whether a user may reset another user's second factor. Owners may for agents, ADMINs for all other users. */
export function isResettable(me: Holder, user: Pick<User, 'id' | 'roles' | 'secondFactor'>): boolean {
  return user.secondFactor && user.id !== me.id && (rolesOf(me).includes('ADMIN') || !isProtected(user));
}

/** The role change that the console offers for a user. Null for the signed-in user, and where the api would refuse it. */
export function roleStep(me: Holder, user: Holder): RoleStep | null {
  if (user.id === me.id) return null;
  const roles = rolesOf(user);
  if (roles.includes('ADMIN')) return rolesOf(me).includes('ADMIN') ? 'dropAdmin' : null;
  if (user.company === null) return null;
  return roles.includes('CREATOR') ? 'dropOwner' : 'makeOwner';
}

/** Whether the console offers to suspend a user or to lift the suspension. Null for users whom the api would refuse to suspend. */
export function suspensionStep(me: Holder, user: Holder & Pick<User, 'suspension'>) {
  if (user.id === me.id || user.company === null || rolesOf(user).includes('ADMIN')) return null;
  return user.suspension ? 'resume' : 'suspend';
}
