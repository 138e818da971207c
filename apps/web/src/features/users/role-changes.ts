import type { User } from '@propusk/contract/users';
import { rolesOf } from '../../common/me.tsx';

/** What a dialog can do to the role of a person. */
export type RoleStep = 'makeOwner' | 'dropOwner' | 'dropAdmin';

type Holder = Pick<User, 'id' | 'roles' | 'company'>;

/** The change of role that is offered for a person; null for the signed-in user and for a person whom the api would refuse. */
export function roleStep(me: Holder, user: Holder): RoleStep | null {
  if (user.id === me.id) return null;
  const roles = rolesOf(user);
  if (roles.includes('ADMIN')) return rolesOf(me).includes('ADMIN') ? 'dropAdmin' : null;
  if (user.company === null) return null;
  return roles.includes('CREATOR') ? 'dropOwner' : 'makeOwner';
}
