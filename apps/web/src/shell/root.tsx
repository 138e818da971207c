import { type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { type ErrorComponentProps, Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { schemeAt, useScheme } from '../theme/scheme.ts';
import { theme } from '../theme/theme.ts';
import { cssVariablesResolver } from '../theme/tokens.ts';
import { CrashedAlone } from './crashed.tsx';

// Mantine must neither store nor change the colour scheme: theme/scheme.ts does both. Mantine calls `get` once, before
// `forceColorScheme` applies.
const colorSchemeManager: MantineColorSchemeManager = {
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
      // Mantine writes all CSS variables, so that the console can omit Mantine's style sheet of default variables.
      deduplicateCssVariables={false}
      colorSchemeManager={colorSchemeManager}
      forceColorScheme={useScheme(pathname)}
    >
      {children}
    </MantineProvider>
  );
}

/** The root component of every page, which provides the theme. */
export function Root() {
  return (
    <Themed>
      <Outlet />
    </Themed>
  );
}

/** The error page for an error in the root component itself. */
export function RootCrashed(props: ErrorComponentProps) {
  return (
    <Themed>
      <CrashedAlone {...props} />
    </Themed>
  );
}
