import type { Role } from '@propusk/contract/roles';
import type { Path } from '../dialog-route.tsx';
import { areas } from '../paths.ts';

/** The gate's decision for a signed-in user: show the page, redirect to another one, or sign out. */
export type Landing = { kind: 'stay' } | { kind: 'go'; to: Path } | { kind: 'leave' };

/**
 * Decides what the gate shows. A page of one of the user's roles stays open, and so does the personal page. From any
 * other path the user goes to the start page of a role: USER before ADMIN before CREATOR (spec section 4). A user
 * without these roles is signed out.
 */
export function landing(roles: readonly Role[], pathname: string): Landing {
  if (roles.length === 0) return { kind: 'leave' };
  if (pathname === '/dashboard/personal-data') return { kind: 'stay' };
  if (roles.some((role) => pathname.startsWith(areas[role]))) return { kind: 'stay' };
  if (roles.includes('USER')) return { kind: 'go', to: '/dashboard/user/domains' };
  if (roles.includes('ADMIN')) return { kind: 'go', to: '/dashboard/admin/companies' };
  return { kind: 'go', to: '/dashboard/creator/domains' };
}

/** Spec section 4: the pages on which a failed user lookup keeps the token. */
export function sparesToken({ pathname, search }: { pathname: string; search: string }): boolean {
  return new URLSearchParams(search).has('hash') || pathname.includes('auth');
}
