import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { t } from '../dictionary/dictionary.ts';
import { paths } from '../paths.ts';
import { State } from '../ui/state.tsx';
import classes from './gate.module.css';

/** Any path that is nobody's. */
export function NotFound() {
  return (
    <main className={classes.wait}>
      <State
        icon={<IconMapOff size={24} />}
        title={t.shell.notFound}
        hint={t.shell.notFoundHint}
        action={
          <Button component={Link} to={paths.home}>
            {t.shell.toStart}
          </Button>
        }
      />
    </main>
  );
}
