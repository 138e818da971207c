import { type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { type ErrorComponentProps, Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { schemeAt, useScheme } from '../theme/scheme.ts';
import { theme } from '../theme/theme.ts';
import { cssVariablesResolver } from '../theme/tokens.ts';
import { CrashedAlone } from './crashed.tsx';

// Mantine is told which scheme to show and keeps none of its own; it asks once, before it listens to what it is told.
const told: MantineColorSchemeManager = {
  get: () => schemeAt(window.location.pathname),
  set: () => {},
  subscribe: () => {},
  unsubscribe: () => {},
  clear: () => {},
};

function Themed({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      // It writes all of its variables, so that its style sheet of their defaults need not be loaded.
      deduplicateCssVariables={false}
      colorSchemeManager={told}
      forceColorScheme={useScheme(pathname)}
    >
      {children}
    </MantineProvider>
  );
}

/** What every page stands in: the theme. */
export function Root() {
  return (
    <Themed>
      <Outlet />
    </Themed>
  );
}

/** What stands there when even that fails. */
export function RootCrashed(props: ErrorComponentProps) {
  return (
    <Themed>
      <CrashedAlone {...props} />
    </Themed>
  );
}
