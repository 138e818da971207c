import '../theme/mantine-dashboard.ts';
import * as t from '@propusk/phrases/console';
import { Outlet } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { rolesOf, useMe } from '../common/me.tsx';
import { useQuestion } from '../ui/confirm.ts';
import { ConfirmDialog } from '../ui/lazy-confirm.ts';
import { Toasts } from '../ui/toasts.tsx';
import classes from './dashboard-shell.module.css';
import { Drift } from './drift.tsx';
import { FactorAdvice } from './factor-advice.tsx';
import { Gate } from './gate.tsx';
import { Header } from './header.tsx';
import { NavigationDrawer } from './lazy-drawer.ts';
import { Navigation } from './navigation.tsx';
import { Onboarding } from './onboarding/onboarding.tsx';

/** The dashboard: header, navigation by role, and the page. */
export function DashboardShell() {
  return (
    <Gate>
      <Dashboard />
    </Gate>
  );
}

function Dashboard() {
  const roles = rolesOf(useMe());
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        {t.shell.skip}
      </a>
      <Header menuOpen={open} onMenu={() => setOpen(true)} />
      <aside className={classes.side}>
        <Navigation roles={roles} />
      </aside>
      <NavigationDrawer opened={open} onClose={close} />
      <main id="content" className={classes.content} tabIndex={-1}>
        {roles.includes('CREATOR') && <Drift />}
        <Suspense fallback={null}>
          <FactorAdvice />
          <Outlet />
        </Suspense>
      </main>
      <Onboarding />
      <Questions />
      <Toasts />
    </div>
  );
}

/** Where `confirm()` asks. */
function Questions() {
  const open = useQuestion();
  return <ConfirmDialog opened={open !== null} onClose={() => open?.answer(false)} />;
}
