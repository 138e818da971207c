import type { Endpoint } from '@propusk/contract/endpoint';
import type { User } from '@propusk/contract/me';
import type { Role } from '@propusk/contract/roles';
import { createContext, type ReactNode, useContext } from 'react';
import { isPermitted } from './permissions.ts';

const MeContext = createContext<User | null>(null);

/** Provides the signed-in user to the dashboard. */
export function MeProvider({ me, children }: { me: User; children: ReactNode }) {
  return <MeContext value={me}>{children}</MeContext>;
}

/** The signed-in user. */
export function useMe(): User {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe outside of the dashboard gate');
  return me;
}

/** Whether the signed-in user may make a call. */
export function usePermissions(): (endpoint: Endpoint) => boolean {
  const roles = rolesOf(useMe());
  return (endpoint) => isPermitted(roles, endpoint);
}

/** A user's roles as strings: replies of the api hold them as `{ value }` objects. */
export function rolesOf(user: Pick<User, 'roles'>): Role[] {
  return user.roles.map(({ value }) => value);
}
