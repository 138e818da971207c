import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { parseListSearch } from './common/list-search.ts';
import { LoginPage } from './features/auth/login-page.tsx';
import { paths } from './paths.ts';
import { AuthShell } from './shell/auth-shell.tsx';
import { Crashed, CrashedAlone } from './shell/crashed.tsx';
import { lazyPage } from './shell/lazy-page.ts';
import { NotFound } from './shell/not-found.tsx';
import { Root, RootCrashed } from './shell/root.tsx';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: RootCrashed });

const home = createRoute({
  getParentRoute: () => root,
  path: paths.home,
  beforeLoad: () => {
    throw redirect({ to: paths.creatorSites, replace: true });
  },
});

// Public texts, outside both shells.
const rules = createRoute({
  getParentRoute: () => root,
  path: paths.rules,
  errorComponent: CrashedAlone,
  component: lazyPage(() => import('./features/reading/reading-page.tsx'), 'RulesPage'),
});
const help = createRoute({
  getParentRoute: () => root,
  path: paths.help,
  errorComponent: CrashedAlone,
  component: lazyPage(() => import('./features/reading/reading-page.tsx'), 'HelpPage'),
});

// Opened by a link, with or without an account, outside both shells.
const lockLink = createRoute({
  getParentRoute: () => root,
  path: paths.lockLink,
  errorComponent: CrashedAlone,
  component: lazyPage(() => import('./features/sites/lock/shared-lock-page.tsx'), 'SharedLockPage'),
});
const pairing = createRoute({
  getParentRoute: () => root,
  path: paths.pairing,
  errorComponent: CrashedAlone,
  component: lazyPage(() => import('./features/extension/pair-page.tsx'), 'PairPage'),
});

const auth = createRoute({
  getParentRoute: () => root,
  id: 'auth',
  errorComponent: CrashedAlone,
  component: AuthShell,
});
// The default page: it is part of the initial chunk.
const login = createRoute({
  getParentRoute: () => auth,
  path: paths.login,
  component: LoginPage,
});
const register = createRoute({
  getParentRoute: () => auth,
  path: paths.register,
  component: lazyPage(() => import('./features/auth/register-page.tsx'), 'RegisterPage'),
});
const reset = createRoute({
  getParentRoute: () => auth,
  path: paths.reset,
  component: lazyPage(() => import('./features/auth/reset-page.tsx'), 'ResetPage'),
});
const checkEmail = createRoute({
  getParentRoute: () => auth,
  path: paths.checkEmail,
  component: lazyPage(() => import('./features/auth/check-email-page.tsx'), 'CheckEmailPage'),
});
const mailLink = createRoute({
  getParentRoute: () => auth,
  path: paths.mailLink,
  component: lazyPage(() => import('./features/auth/mail-link-page.tsx'), 'MailLinkPage'),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  id: 'dashboard',
  errorComponent: CrashedAlone,
  component: lazyPage(() => import('./shell/dashboard-shell.tsx'), 'DashboardShell'),
});
// The gate redirects from here to the first page of the user's role.
const landing = createRoute({ getParentRoute: () => dashboard, path: paths.dashboard });

const creatorSites = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorSites,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/sites/sites-page.tsx'), 'SitesPage'),
});
const userSites = createRoute({
  getParentRoute: () => dashboard,
  path: paths.userSites,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/sites/sites-page.tsx'), 'OwnSitesPage'),
});
const creatorProxies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorProxies,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/proxies/proxies-page.tsx'), 'ProxiesPage'),
});
const creatorPolicies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorPolicies,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/policies/policies-page.tsx'), 'PoliciesPage'),
});
const userPolicies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.userPolicies,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/policies/policies-page.tsx'), 'PoliciesPage'),
});
const creatorUsers = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorUsers,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/users/users-page.tsx'), 'UsersPage'),
});
const creatorCompany = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorCompany,
  component: lazyPage(() => import('./features/company/company-page.tsx'), 'CompanyPage'),
});
const creatorAudit = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorAudit,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/audit/audit-page.tsx'), 'AuditPage'),
});
const adminAudit = createRoute({
  getParentRoute: () => dashboard,
  path: paths.adminAudit,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/audit/audit-page.tsx'), 'PlatformAuditPage'),
});
const personalData = createRoute({
  getParentRoute: () => dashboard,
  path: paths.userPersonalData,
  component: lazyPage(() => import('./features/personal/personal-page.tsx'), 'PersonalPage'),
});
// The same page for roles without a navigation item: the user's name in the header links to it.
const ownData = createRoute({
  getParentRoute: () => dashboard,
  path: paths.personalData,
  component: lazyPage(() => import('./features/personal/personal-page.tsx'), 'PersonalPage'),
});
const statistics = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorStatistics,
  component: lazyPage(() => import('./features/company/soon-pages.tsx'), 'StatisticsPage'),
});
const tariff = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorTariff,
  component: lazyPage(() => import('./features/company/soon-pages.tsx'), 'TariffPage'),
});
const companies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.adminCompanies,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/platform/companies-page.tsx'), 'CompaniesPage'),
});
const allUsers = createRoute({
  getParentRoute: () => dashboard,
  path: paths.adminUsers,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/users/all-users-page.tsx'), 'AllUsersPage'),
});
const allProxies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.adminProxies,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/proxies/admin-pages.tsx'), 'AllProxiesPage'),
});
// Spec section 2: the admin's politics page is the proxy table too.
const adminPolicies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.adminPolicies,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/proxies/admin-pages.tsx'), 'AllProxiesPage'),
});
const platformProxies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.adminPlatformProxies,
  validateSearch: parseListSearch,
  component: lazyPage(() => import('./features/proxies/admin-pages.tsx'), 'PlatformProxiesPage'),
});

/** All routes of the console. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    rules,
    help,
    lockLink,
    pairing,
    auth.addChildren([login, register, reset, checkEmail, mailLink]),
    dashboard.addChildren([
      landing,
      creatorSites,
      creatorProxies,
      creatorPolicies,
      creatorUsers,
      creatorCompany,
      creatorAudit,
      userSites,
      userPolicies,
      personalData,
      ownData,
      statistics,
      tariff,
      companies,
      allUsers,
      allProxies,
      adminAudit,
      adminPolicies,
      platformProxies,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
