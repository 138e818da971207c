import type { User } from '@propusk/contract/me';
import { rolesOf } from '../../common/me.tsx';

/** The changes that the dialog makes: of a role, and for an ADMIN the reset of a second factor. */
export type RoleStep = 'makeOwner' | 'dropOwner' | 'dropAdmin' | 'resetFactor';

type Holder = Pick<User, 'id' | 'roles' | 'company'>;

/** The role change offered for a user; null for the signed-in user and where the api would refuse. */
export function roleStep(me: Holder, user: Holder): RoleStep | null {
  if (user.id === me.id) return null;
  const roles = rolesOf(user);
  if (roles.includes('ADMIN')) return rolesOf(me).includes('ADMIN') ? 'dropAdmin' : null;
  if (user.company === null) return null;
  return roles.includes('CREATOR') ? 'dropOwner' : 'makeOwner';
}
