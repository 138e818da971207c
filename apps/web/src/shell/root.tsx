import { MantineProvider } from '@mantine/core';
import { Outlet, useLocation } from '@tanstack/react-router';
import { AUTH_AREA } from '../paths.ts';
import { cssVariablesResolver, theme } from '../theme/theme.ts';

/** What every page stands in: the theme; the auth area is dark. */
export function Root() {
  const { pathname } = useLocation();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      forceColorScheme={pathname.startsWith(AUTH_AREA) ? 'dark' : 'light'}
    >
      <Outlet />
    </MantineProvider>
  );
}
