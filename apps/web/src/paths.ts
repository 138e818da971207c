/** Every URL of the console, spelled once (spec section 2). */
export const paths = {
  home: '/',
  help: '/help',
  /** The page with a site's lock for a colleague without an account. The URL's fragment is the link's token. */
  lockLink: '/lock',
  /** The page on which the extension signs in. The URL's fragment is the code. */
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
  creatorStatisticsPart: '/dashboard/creator/statistics/$part',
  creatorTariff: '/dashboard/creator/tariff',

  adminCompanies: '/dashboard/admin/companies',
  adminCompany: '/dashboard/admin/companies/$id',
  adminInvitations: '/dashboard/admin/invitations',
  adminUsers: '/dashboard/admin/users',
  adminProxies: '/dashboard/admin/proxies',
  adminPlans: '/dashboard/admin/plans',
  adminState: '/dashboard/admin/state',
  adminAudit: '/dashboard/admin/audit',
  adminPolicies: '/dashboard/admin/politics',
  adminPlatformProxies: '/dashboard/admin/proxies-default',

  userPersonalData: '/dashboard/user/personal-data',
  userSites: '/dashboard/user/domains',
  userPolicies: '/dashboard/user/politics',
} as const;

/** The fragment of the personal page's URL that scrolls to the second factor and opens its enrolment. */
export const FACTOR_HASH = 'second-factor';

/** The files of the extension, which the server offers for download. */
export const downloads = {
  chromium: '/downloads/propusk-chromium.zip',
  firefox: '/downloads/propusk-firefox.zip',
} as const;

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
