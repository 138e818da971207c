import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Logo } from '../frame/logo.tsx';
import { State } from '../ui/state.tsx';
import { usePageTitle } from '../ui/use-page-title.ts';
import classes from './gate.module.css';

/** The page for any unknown path. */
export function NotFound() {
  usePageTitle(t.failures.notFound);
  return (
    <main className={classes.wait}>
      <Logo to="/" className={classes.logo} label={t.common.toSites} />
      <State
        alone
        icon={<IconMapOff size={24} />}
        title={t.failures.notFound}
        hint={t.failures.notFoundHint}
        action={
          <Button component={Link} to="/">
            {t.failures.toStart}
          </Button>
        }
      />
    </main>
  );
}
