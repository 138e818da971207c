import type { Role } from '@propusk/contract/roles';
import { areas, paths } from '../paths.ts';

/** Where somebody who is signed in belongs: here, elsewhere, or nowhere. */
export type Landing = { kind: 'stay' } | { kind: 'go'; to: string } | { kind: 'leave' };

/**
 * Spec section 4: USER, then ADMIN, then CREATOR; without any of them one is logged out. Whoever is in an area of an
 * own role stays, so that a reload and a link keep their page. The own data are for every role.
 */
export function landing(roles: readonly Role[], pathname: string): Landing {
  if (roles.length === 0) return { kind: 'leave' };
  if (pathname === paths.personalData) return { kind: 'stay' };
  if (roles.some((role) => pathname.startsWith(areas[role]))) return { kind: 'stay' };
  if (roles.includes('USER')) return { kind: 'go', to: paths.userSites };
  if (roles.includes('ADMIN')) return { kind: 'go', to: paths.adminCompanies };
  return { kind: 'go', to: paths.creatorSites };
}

/** Spec section 4: where a failed lookup of the current user leaves the token as it is. */
export function sparesToken({ pathname, search }: { pathname: string; search: string }): boolean {
  return new URLSearchParams(search).has('hash') || pathname.includes('auth');
}
