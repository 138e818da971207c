/** Every URL of the console, spelled once (spec section 2). */
export const paths = {
  home: '/',
  help: '/help',
  /** A lock's lines for a colleague: the token follows as the fragment. */
  lockLink: '/lock',
  /** Where the extension signs in: the code follows as the fragment. */
  pairing: '/extension/pair',

  login: '/auth/login',
  register: '/auth/register',
  reset: '/auth/reset',
  rules: '/auth/rules',
  checkEmail: '/security/check-email',
  mailLink: '/security/login',

  dashboard: '/dashboard',
  personalData: '/dashboard/personal-data',
  creatorSites: '/dashboard/creator/domains',
  creatorProxies: '/dashboard/creator/proxies',
  creatorPolicies: '/dashboard/creator/politics',
  creatorUsers: '/dashboard/creator/users',
  creatorCompany: '/dashboard/creator/company',
  creatorAudit: '/dashboard/creator/audit',
  creatorStatistics: '/dashboard/creator/statistics',
  creatorTariff: '/dashboard/creator/tariff',

  adminCompanies: '/dashboard/admin/companies',
  adminUsers: '/dashboard/admin/users',
  adminProxies: '/dashboard/admin/proxies',
  adminAudit: '/dashboard/admin/audit',
  adminPolicies: '/dashboard/admin/politics',
  adminPlatformProxies: '/dashboard/admin/proxies-default',

  userPersonalData: '/dashboard/user/personal-data',
  userSites: '/dashboard/user/domains',
  userPolicies: '/dashboard/user/politics',
} as const;

/** The fragment of the own data that leads to the second factor, and begins to turn it on. */
export const FACTOR_HASH = 'second-factor';

/** The extension's files, which the server has beside the console. */
export const downloads = {
  chromium: '/downloads/propusk-chromium.zip',
  firefox: '/downloads/propusk-firefox.zip',
} as const;

/** Everything below is for the holders of one role. */
export const areas = {
  CREATOR: '/dashboard/creator/',
  ADMIN: '/dashboard/admin/',
  USER: '/dashboard/user/',
} as const;

/** The auth area, which is dark: its own pages, and those that mail leads to. */
export function inAuthArea(pathname: string): boolean {
  return pathname.startsWith('/auth/') || pathname.startsWith('/security/');
}
