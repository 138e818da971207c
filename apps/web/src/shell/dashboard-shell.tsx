import '../theme/mantine-dashboard.ts';
import { evidence } from '@propusk/contract/protection';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { queryOptions } from '../api/queries.ts';
import { rolesOf, useMe } from '../entities/user/me.tsx';
import { lazyOptional } from '../ui/lazy.tsx';
import { Questions } from '../ui/questions.tsx';
import { Toasts } from '../ui/toasts.tsx';
import classes from './dashboard-shell.module.css';
import { Gate } from './gate.tsx';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import { Onboarding } from './onboarding/onboarding.tsx';

// If the file does not load, the page shows no band, and the next page load tries again.
const bands = () => import('./bands.tsx');
const Drifted = lazyOptional(bands, 'Drifted');
const Unconfirmed = lazyOptional(bands, 'Unconfirmed');
const FactorAdvice = lazyOptional(bands, 'FactorAdvice');
const Ending = lazyOptional(bands, 'Ending');

/** The layout of the dashboard: the header, the navigation of the user's roles, and the page. */
export function DashboardShell() {
  return (
    <Gate>
      <Dashboard />
    </Gate>
  );
}

function Dashboard() {
  const { company, email, id, secondFactor, ...me } = useMe();
  const roles = rolesOf(me);
  const owner = roles.includes('CREATOR');
  const drifted = useQuery({ ...queryOptions(evidence, {}), enabled: owner }).data?.drifted ?? [];
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        {t.shell.skip}
      </a>
      <Header />
      <aside className={classes.side}>
        <Navigation />
      </aside>
      <main id="content" className={classes.content} tabIndex={-1}>
        <Suspense fallback={null}>{drifted.length > 0 && <Drifted drifted={drifted} />}</Suspense>
        {/* One Suspense boundary for the band and the page, so that a late band does not shift the page. */}
        <Suspense fallback={null}>
          {owner && company && !company.confirmed && <Unconfirmed email={email} />}
          {owner && company?.ending && <Ending ending={company.ending} />}
          {roles.includes('ADMIN') && !secondFactor && <FactorAdvice userId={id} />}
          <Outlet />
        </Suspense>
      </main>
      <Onboarding />
      <Questions />
      <Toasts />
    </div>
  );
}
