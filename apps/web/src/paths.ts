/** Every URL of the console, spelled once (spec section 2). */
export const paths = {
  home: '/',
  help: '/help',

  login: '/auth/login',
  register: '/auth/register',
  rules: '/auth/rules',

  dashboard: '/dashboard',
  creatorSites: '/dashboard/creator/domains',
  creatorProxies: '/dashboard/creator/proxies',
  creatorPolicies: '/dashboard/creator/politics',
  creatorUsers: '/dashboard/creator/users',
  creatorCompany: '/dashboard/creator/company',

  adminCompanies: '/dashboard/admin/companies',

  userPersonalData: '/dashboard/user/personal-data',
  userSites: '/dashboard/user/domains',
  userPolicies: '/dashboard/user/politics',
} as const;

/** Everything below is for the holders of one role. */
export const areas = {
  CREATOR: '/dashboard/creator/',
  ADMIN: '/dashboard/admin/',
  USER: '/dashboard/user/',
} as const;

/** The auth area, which is dark. */
export const AUTH_AREA = '/auth/';
