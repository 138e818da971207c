import { Button } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconAlertTriangle, IconCloudOff } from '@tabler/icons-react';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useState } from 'react';
import { State } from '../ui/state.tsx';
import { usePageTitle } from '../ui/use-page-title.ts';
import classes from './gate.module.css';
import { PageNotLoaded } from './lazy-page.ts';

/** `Crashed` as a whole page, outside the dashboard and the auth area. */
export function CrashedAlone(props: Pick<ErrorComponentProps, 'error'>) {
  return (
    <main className={classes.wait}>
      <Crashed {...props} />
    </main>
  );
}

/** Replaces a page that threw an error or whose code did not load. The header and the navigation stay. */
export function Crashed({ error }: Pick<ErrorComponentProps, 'error'>) {
  const [trying, setTrying] = useState(false);
  const [away, setAway] = useState(false);
  const notLoaded = error instanceof PageNotLoaded;
  const title = notLoaded ? t.failures.notLoaded : t.failures.unexpected;
  usePageTitle(title);

  async function reload() {
    setTrying(true);
    // Reload only when the server responds: otherwise the browser's own error page would replace the console.
    const there = await fetch(window.location.href, { cache: 'no-store' }).catch(() => null);
    if (there?.ok) return window.location.reload();
    setTrying(false);
    setAway(true);
  }

  return (
    <State
      alert
      alone
      icon={notLoaded || away ? <IconCloudOff size={24} /> : <IconAlertTriangle size={24} />}
      title={title}
      hint={away ? t.failures.network : notLoaded ? t.failures.notLoadedHint : t.failures.unexpectedHint}
      action={
        <Button onClick={reload} loading={trying}>
          {notLoaded ? t.common.retry : t.failures.reload}
        </Button>
      }
    />
  );
}
