import { type MantineColorSchemeManager, MantineProvider } from '@mantine/core';
import { type ErrorComponentProps, Outlet, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { schemeAt, useScheme } from '../theme/scheme.ts';
import { theme } from '../theme/theme.ts';
import { cssVariablesResolver } from '../theme/tokens.ts';
import { CrashedAlone } from './crashed.tsx';

// Mantine only displays the scheme: it neither stores nor changes it. It reads this once, before `forceColorScheme`
// applies.
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
      // Mantine writes all variables, so that its default style sheet is not needed.
      deduplicateCssVariables={false}
      colorSchemeManager={colorSchemeManager}
      forceColorScheme={useScheme(pathname)}
    >
      {children}
    </MantineProvider>
  );
}

/** The root of every page: the theme. */
export function Root() {
  return (
    <Themed>
      <Outlet />
    </Themed>
  );
}

/** Shown when the root itself fails. */
export function RootCrashed(props: ErrorComponentProps) {
  return (
    <Themed>
      <CrashedAlone {...props} />
    </Themed>
  );
}
