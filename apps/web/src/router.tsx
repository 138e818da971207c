import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { parseListSearch } from './common/list-search.ts';
import { paths } from './paths.ts';
import { Crashed } from './shell/crashed.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Root } from './shell/root.tsx';

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: Crashed });

const home = createRoute({
  getParentRoute: () => root,
  path: paths.home,
  beforeLoad: () => {
    throw redirect({ to: paths.creatorSites, replace: true });
  },
});

// Texts: open to everybody, in the shell of neither area.
const rules = createRoute({
  getParentRoute: () => root,
  path: paths.rules,
  component: lazyRouteComponent(() => import('./features/reading/reading-page.tsx'), 'RulesPage'),
});
const help = createRoute({
  getParentRoute: () => root,
  path: paths.help,
  component: lazyRouteComponent(() => import('./features/reading/reading-page.tsx'), 'HelpPage'),
});

const auth = createRoute({
  getParentRoute: () => root,
  id: 'auth',
  component: lazyRouteComponent(() => import('./shell/auth-shell.tsx'), 'AuthShell'),
});
const login = createRoute({
  getParentRoute: () => auth,
  path: paths.login,
  component: lazyRouteComponent(() => import('./features/auth/login-page.tsx'), 'LoginPage'),
});
const register = createRoute({
  getParentRoute: () => auth,
  path: paths.register,
  component: lazyRouteComponent(() => import('./features/auth/register-page.tsx'), 'RegisterPage'),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  id: 'dashboard',
  component: lazyRouteComponent(() => import('./shell/dashboard-shell.tsx'), 'DashboardShell'),
});
// The gate sends everybody from here to the page where their role begins.
const landing = createRoute({ getParentRoute: () => dashboard, path: paths.dashboard });

const creatorSites = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorSites,
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import('./features/sites/sites-page.tsx'), 'SitesPage'),
});
const userSites = createRoute({
  getParentRoute: () => dashboard,
  path: paths.userSites,
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import('./features/sites/sites-page.tsx'), 'OwnSitesPage'),
});
const creatorProxies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorProxies,
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import('./features/proxies/proxies-page.tsx'), 'ProxiesPage'),
});
const creatorPolicies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorPolicies,
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import('./features/policies/policies-page.tsx'), 'PoliciesPage'),
});
const userPolicies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.userPolicies,
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import('./features/policies/policies-page.tsx'), 'PoliciesPage'),
});
const creatorUsers = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorUsers,
  validateSearch: parseListSearch,
  component: lazyRouteComponent(() => import('./features/users/users-page.tsx'), 'UsersPage'),
});
const creatorCompany = createRoute({
  getParentRoute: () => dashboard,
  path: paths.creatorCompany,
  component: lazyRouteComponent(() => import('./features/company/company-page.tsx'), 'CompanyPage'),
});
const personalData = createRoute({
  getParentRoute: () => dashboard,
  path: paths.userPersonalData,
  component: lazyRouteComponent(() => import('./features/personal/personal-page.tsx'), 'PersonalPage'),
});
const companies = createRoute({
  getParentRoute: () => dashboard,
  path: paths.adminCompanies,
  component: lazyRouteComponent(() => import('./features/platform/companies-page.tsx'), 'CompaniesPage'),
});

/** Every route there is. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    rules,
    help,
    auth.addChildren([login, register]),
    dashboard.addChildren([
      landing,
      creatorSites,
      creatorProxies,
      creatorPolicies,
      creatorUsers,
      creatorCompany,
      userSites,
      userPolicies,
      personalData,
      companies,
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
