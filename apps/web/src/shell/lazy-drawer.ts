import { lazyPart } from '../ui/lazy-part.tsx';

/** The navigation of a phone: a wide screen never fetches it. */
export const NavigationDrawer = lazyPart(() =>
  import('./navigation-drawer.tsx').then((module) => module.NavigationDrawer),
);
