import type { User } from '@propusk/contract/me';
import { type AnyRoute, createRootRoute, createRoute } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { type DialogModule, dialogRoute } from './dialog-route.tsx';
import { parseListSearch } from './lists/list-search.ts';
import { CrashedAlone } from './shell/crashed.tsx';
import { lazyPage } from './shell/lazy-page.ts';
import { Root, RootCrashed } from './shell/root.tsx';

/** The item of the navigation that opens a page. */
export interface NavigationItem {
  label: string;
  Icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  /** Whether a user of the page's role sees the item; by default every such user does. */
  isShown?: (user: User) => boolean;
  /** Content at the end of the item. */
  Mark?: ComponentType;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    item?: NavigationItem;
  }
}

export const root = createRootRoute({
  component: Root,
  notFoundComponent: lazyPage(() => import('./shell/not-found.tsx'), 'NotFound'),
  errorComponent: RootCrashed,
});

export const dashboard = createRoute({
  getParentRoute: () => root,
  id: 'dashboard',
  errorComponent: CrashedAlone,
  component: lazyPage(() => import('./shell/dashboard-shell.tsx'), 'DashboardShell'),
});

export type Modules = Record<string, unknown>;
export type Load<Module extends Modules> = () => Promise<Module>;

/** The route of a dashboard page. A page without `item` is not in the navigation. */
export const page = <Path extends string, M extends Modules>(
  path: Path,
  load: Load<M>,
  name: keyof M & string,
  item?: NavigationItem,
) =>
  createRoute({
    getParentRoute: () => dashboard,
    path,
    component: lazyPage(load, name),
    staticData: item ? { item } : {},
  });

/** The route of a dashboard page with a list, which keeps its state in the URL's search parameters. */
export const list = <Path extends string, M extends Modules>(
  path: Path,
  load: Load<M>,
  name: keyof M & string,
  item?: NavigationItem,
) =>
  createRoute({
    getParentRoute: () => dashboard,
    path,
    component: lazyPage(load, name),
    validateSearch: parseListSearch,
    staticData: item ? { item } : {},
  });

/** The route of a dialog over the page of its parent. */
export const dialog = <
  Parent extends AnyRoute,
  Path extends string,
  M extends DialogModule<Name>,
  Name extends string,
>(
  parent: Parent,
  path: Path,
  load: Load<M>,
  name: Name,
) => createRoute({ getParentRoute: () => parent, path, component: dialogRoute(load, name) });
