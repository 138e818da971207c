/** The fragment of the personal page's URL that scrolls to the second factor and opens its enrolment. */
export const FACTOR_HASH = 'second-factor';

/** The path prefix of each role's pages. The gate opens them only to holders of that role. */
export const areas = {
  CREATOR: '/dashboard/creator/',
  ADMIN: '/dashboard/admin/',
  USER: '/dashboard/user/',
} as const;

/** Whether a path belongs to the auth area, which is always dark: the auth pages and the pages that links in mail open. */
export function inAuthArea(pathname: string): boolean {
  return pathname.startsWith('/auth/') || pathname.startsWith('/security/');
}
