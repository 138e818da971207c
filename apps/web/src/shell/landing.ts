import type { Role } from '@propusk/contract/roles';
import { areas, paths } from '../paths.ts';

/** What the gate does with a signed-in user: stay, redirect, or sign out. */
export type Landing = { kind: 'stay' } | { kind: 'go'; to: string } | { kind: 'leave' };

/**
 * Spec section 4: USER, then ADMIN, then CREATOR; a user without any of them is signed out. A page inside an area of
 * the user's roles stays open, so that reloads and links work. The personal page is open to every role.
 */
export function landing(roles: readonly Role[], pathname: string): Landing {
  if (roles.length === 0) return { kind: 'leave' };
  if (pathname === paths.personalData) return { kind: 'stay' };
  if (roles.some((role) => pathname.startsWith(areas[role]))) return { kind: 'stay' };
  if (roles.includes('USER')) return { kind: 'go', to: paths.userSites };
  if (roles.includes('ADMIN')) return { kind: 'go', to: paths.adminCompanies };
  return { kind: 'go', to: paths.creatorSites };
}

/** Spec section 4: the pages on which a failed user lookup keeps the token. */
export function sparesToken({ pathname, search }: { pathname: string; search: string }): boolean {
  return new URLSearchParams(search).has('hash') || pathname.includes('auth');
}
