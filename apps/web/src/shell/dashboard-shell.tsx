import '../theme/mantine-dashboard.ts';
import * as t from '@propusk/phrases/console';
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { rolesOf, useMe } from '../common/me.tsx';
import { Questions } from '../ui/questions.tsx';
import { Toasts } from '../ui/toasts.tsx';
import { ConfirmAdvice } from './confirm-advice.tsx';
import classes from './dashboard-shell.module.css';
import { Drift } from './drift.tsx';
import { FactorAdvice } from './factor-advice.tsx';
import { Gate } from './gate.tsx';
import { Header } from './header.tsx';
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
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        {t.shell.skip}
      </a>
      <Header />
      <aside className={classes.side}>
        <Navigation roles={roles} />
      </aside>
      <main id="content" className={classes.content} tabIndex={-1}>
        {roles.includes('CREATOR') && <Drift />}
        <Suspense fallback={null}>
          <ConfirmAdvice />
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
