import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { token } from './api/token.ts';
import { parseListSearch } from './common/list-search.ts';
import { LoginPage } from './features/auth/login-page.tsx';
import { paths } from './paths.ts';
import { AuthShell } from './shell/auth-shell.tsx';
import { Crashed, CrashedAlone } from './shell/crashed.tsx';
import { lazyPage } from './shell/lazy-page.ts';
import { Root, RootCrashed } from './shell/root.tsx';

const root = createRootRoute({
  component: Root,
  notFoundComponent: lazyPage(() => import('./shell/not-found.tsx'), 'NotFound'),
  errorComponent: RootCrashed,
});

const home = createRoute({
  getParentRoute: () => root,
  path: paths.home,
  beforeLoad: () => {
    throw redirect({ to: token.read() === null ? paths.login : paths.creatorSites, replace: true });
  },
});

const auth = createRoute({
  getParentRoute: () => root,
  id: 'auth',
  errorComponent: CrashedAlone,
  component: AuthShell,
});
const dashboard = createRoute({
  getParentRoute: () => root,
  id: 'dashboard',
  errorComponent: CrashedAlone,
  component: lazyPage(() => import('./shell/dashboard-shell.tsx'), 'DashboardShell'),
});

type Modules = Record<string, unknown>;
type Load<Module extends Modules> = () => Promise<Module>;

/** The route of a page outside the dashboard and the auth area. */
const alone = <Path extends string, M extends Modules>(path: Path, load: Load<M>, name: keyof M & string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyPage(load, name),
    errorComponent: CrashedAlone,
  });
const inAuth = <Path extends string, M extends Modules>(path: Path, load: Load<M>, name: keyof M & string) =>
  createRoute({ getParentRoute: () => auth, path, component: lazyPage(load, name) });
/** The route of a dashboard page. */
const page = <Path extends string, M extends Modules>(path: Path, load: Load<M>, name: keyof M & string) =>
  createRoute({ getParentRoute: () => dashboard, path, component: lazyPage(load, name) });
/** The route of a dashboard page with a list, which keeps its state in the URL's search parameters. */
const list = <Path extends string, M extends Modules>(path: Path, load: Load<M>, name: keyof M & string) =>
  createRoute({
    getParentRoute: () => dashboard,
    path,
    component: lazyPage(load, name),
    validateSearch: parseListSearch,
  });

const reading = () => import('./features/reading/reading-page.tsx');
const users = () => import('./features/users/users-pages.tsx');
const audit = () => import('./features/audit/audit-page.tsx');
const policies = () => import('./features/policies/policies-page.tsx');
const statistics = () => import('./features/statistics/statistics-page.tsx');
const personal = () => import('./features/personal/personal-page.tsx');
const adminProxies = () => import('./features/proxies/admin-pages.tsx');

/** All routes of the console. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    alone(paths.rules, reading, 'RulesPage'),
    alone(paths.help, reading, 'HelpPage'),
    // A link opens this page, also for readers without an account.
    alone(paths.lockLink, () => import('./features/sites/lock/shared-lock-page.tsx'), 'SharedLockPage'),
    alone(paths.pairing, () => import('./features/extension/pair-page.tsx'), 'PairPage'),
    auth.addChildren([
      // The login page is the default page, so its code is part of the initial chunk.
      createRoute({ getParentRoute: () => auth, path: paths.login, component: LoginPage }),
      inAuth(paths.register, () => import('./features/auth/register-page.tsx'), 'RegisterPage'),
      inAuth(paths.reset, () => import('./features/auth/reset-page.tsx'), 'ResetPage'),
      inAuth(paths.checkEmail, () => import('./features/auth/check-email-page.tsx'), 'CheckEmailPage'),
      inAuth(paths.mailLink, () => import('./features/auth/mail-link-page.tsx'), 'MailLinkPage'),
    ]),
    dashboard.addChildren([
      // This path has no page: the gate redirects to the first page of the user's role.
      createRoute({ getParentRoute: () => dashboard, path: paths.dashboard }),
      list(paths.creatorSites, () => import('./features/sites/sites-page.tsx'), 'SitesPage'),
      list(paths.creatorProxies, () => import('./features/proxies/proxies-page.tsx'), 'ProxiesPage'),
      list(paths.creatorPolicies, policies, 'PoliciesPage'),
      list(paths.creatorUsers, users, 'UsersPage'),
      page(paths.creatorCompany, () => import('./features/company/company-page.tsx'), 'CompanyPage'),
      list(paths.creatorAudit, audit, 'AuditPage'),
      page(paths.creatorStatistics, statistics, 'StatisticsPage'),
      page(paths.creatorStatisticsPart, statistics, 'StatisticsPage'),
      page(paths.creatorTariff, () => import('./features/tariff/tariff-page.tsx'), 'TariffPage'),
      list(paths.userSites, () => import('./features/sites/own-sites-page.tsx'), 'OwnSitesPage'),
      list(paths.userPolicies, policies, 'PoliciesPage'),
      page(paths.userPersonalData, personal, 'PersonalPage'),
      // ADMIN and CREATOR have no navigation item for this page: the user's name in the header links to it.
      page(paths.personalData, personal, 'PersonalPage'),
      list(paths.adminCompanies, () => import('./features/platform/companies-page.tsx'), 'CompaniesPage'),
      page(paths.adminCompany, () => import('./features/platform/company-page.tsx'), 'CompanyPage'),
      list(
        paths.adminInvitations,
        () => import('./features/platform/invitations-page.tsx'),
        'InvitationsPage',
      ),
      list(paths.adminUsers, users, 'AllUsersPage'),
      list(paths.adminProxies, adminProxies, 'AllProxiesPage'),
      // The ADMIN's page for policies shows the table of proxies too (spec section 2).
      list(paths.adminPolicies, adminProxies, 'AllProxiesPage'),
      list(paths.adminPlatformProxies, adminProxies, 'PlatformProxiesPage'),
      page(paths.adminPlans, () => import('./features/platform/plans-page.tsx'), 'PlansPage'),
      page(paths.adminState, () => import('./features/platform/state-page.tsx'), 'StatePage'),
      list(paths.adminAudit, audit, 'PlatformAuditPage'),
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
