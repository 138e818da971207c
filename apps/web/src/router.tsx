import { createRoute, createRouter, type Router, redirect } from '@tanstack/react-router';
import { token } from './api/token.ts';
import { LoginPage } from './features/auth/login-page.tsx';
import type { dashboardTree as Pages } from './pages.ts';
import { type Load, type Modules, root } from './routes.ts';
import { AuthShell } from './shell/auth-shell.tsx';
import { Crashed, CrashedAlone } from './shell/crashed.tsx';
import { lazyPage, PageNotLoaded } from './shell/lazy-page.ts';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({
      to: token.read() === null ? '/auth/login' : '/dashboard/creator/domains',
      replace: true,
    });
  },
});

/** The route of a page outside the dashboard and the auth area. */
const alone = <Path extends string, M extends Modules>(path: Path, load: Load<M>, name: keyof M & string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyPage(load, name),
    errorComponent: CrashedAlone,
  });
const reading = () => import('./features/reading/reading-page.tsx');

const auth = createRoute({
  getParentRoute: () => root,
  id: 'auth',
  errorComponent: CrashedAlone,
  component: AuthShell,
});
const inAuth = <Path extends string, M extends Modules>(path: Path, load: Load<M>, name: keyof M & string) =>
  createRoute({ getParentRoute: () => auth, path, component: lazyPage(load, name) });
// The login page is the default page, so its code is part of the initial chunk.
const login = createRoute({ getParentRoute: () => auth, path: '/auth/login', component: LoginPage });

const publicRoutes = [
  home,
  alone('/auth/rules', reading, 'RulesPage'),
  alone('/help', reading, 'HelpPage'),
  // Opened by a link, also by people without an account.
  alone('/lock', () => import('./features/sites/lock/shared-lock-page.tsx'), 'SharedLockPage'),
  alone('/extension/pair', () => import('./features/extension/pair-page.tsx'), 'PairPage'),
  auth.addChildren([
    login,
    inAuth('/auth/register', () => import('./features/auth/register-page.tsx'), 'RegisterPage'),
    inAuth('/auth/reset', () => import('./features/auth/reset-page.tsx'), 'ResetPage'),
    inAuth('/security/check-email', () => import('./features/auth/check-email-page.tsx'), 'CheckEmailPage'),
    inAuth('/security/login', () => import('./features/auth/mail-link-page.tsx'), 'MailLinkPage'),
  ]),
] as const;

/** Loads the pages of the dashboard, which the auth pages do not need, and then goes to the requested page. */
const unloaded = createRoute({
  getParentRoute: () => root,
  path: '/dashboard/$',
  errorComponent: CrashedAlone,
  beforeLoad: async ({ location: { href } }) => {
    await addDashboard();
    // With the state of the entry, so that a reload keeps it.
    throw redirect({ href, replace: true, state: true });
  },
});

const entryRouter = createRouter({
  routeTree: root.addChildren([...publicRoutes, unloaded]),
  defaultPreload: 'intent',
  defaultErrorComponent: Crashed,
  scrollRestoration: true,
});

/** Adds the pages of the dashboard to the router. @throws PageNotLoaded when their file does not load */
export async function addDashboard(): Promise<void> {
  const { dashboardTree } = await import('./pages.ts').catch((cause) => {
    throw new PageNotLoaded(cause);
  });
  addPages(dashboardTree);
  entryRouter.setRoutes(entryRouter.buildRouteTree());
}

const addPages = (pages: typeof Pages) => root.addChildren([...publicRoutes, pages]);

/** The router of the console. Its type has all routes. */
export const router = entryRouter as unknown as Router<ReturnType<typeof addPages>>;

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
