import type { User } from '@propusk/contract/me';
import { rolesOf } from '../../common/me.tsx';

/** The changes that the dialog makes: of a role, or the reset of a second factor. */
export type RoleStep = 'makeOwner' | 'dropOwner' | 'dropAdmin' | 'resetFactor';

type Holder = Pick<User, 'id' | 'roles' | 'company'>;

/** Deleting and new passwords are not offered for holders of ADMIN or CREATOR (spec section 6). */
export function isProtected(user: Pick<User, 'roles'>): boolean {
  return rolesOf(user).some((role) => role !== 'USER');
}

/** Whether a reset of a lost second factor is offered: to an owner an agent's, to an ADMIN any but their own. */
export function isResettable(me: Holder, user: Pick<User, 'id' | 'roles' | 'secondFactor'>): boolean {
  return user.secondFactor && user.id !== me.id && (rolesOf(me).includes('ADMIN') || !isProtected(user));
}

/** The role change offered for a user; null for the signed-in user and where the api would refuse. */
export function roleStep(me: Holder, user: Holder): RoleStep | null {
  if (user.id === me.id) return null;
  const roles = rolesOf(user);
  if (roles.includes('ADMIN')) return rolesOf(me).includes('ADMIN') ? 'dropAdmin' : null;
  if (user.company === null) return null;
  return roles.includes('CREATOR') ? 'dropOwner' : 'makeOwner';
}
