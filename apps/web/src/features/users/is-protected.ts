import type { User } from '@propusk/contract/me';
import { rolesOf } from '../../common/me.tsx';

/** Deleting and new passwords are not offered for holders of ADMIN or CREATOR (spec section 6). */
export function isProtected(user: Pick<User, 'roles'>): boolean {
  return rolesOf(user).some((role) => role !== 'USER');
}
