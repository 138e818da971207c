import '../theme/mantine-dashboard.ts';
import { evidence } from '@propusk/contract/protection';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { queryOptions } from '../api/queries.ts';
import { rolesOf, useMe } from '../common/me.tsx';
import { lazyOptional } from '../ui/lazy.tsx';
import { Questions } from '../ui/questions.tsx';
import { Toasts } from '../ui/toasts.tsx';
import classes from './dashboard-shell.module.css';
import { Gate } from './gate.tsx';
import { Header } from './header.tsx';
import { Navigation } from './navigation.tsx';
import { Onboarding } from './onboarding/onboarding.tsx';

// Without the file the page shows no band; the next page load tries again.
const bands = () => import('./bands.tsx');
const Drifted = lazyOptional(bands, 'Drifted');
const Unconfirmed = lazyOptional(bands, 'Unconfirmed');
const FactorAdvice = lazyOptional(bands, 'FactorAdvice');

/** The dashboard: header, navigation by role, and the page. */
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
  // A probe that starts in the band may clear its last entry: its dialog stays open.
  const [ever, setEver] = useState(false);
  if (drifted.length > 0 && !ever) setEver(true);
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
        <Suspense fallback={null}>{owner && ever && <Drifted drifted={drifted} />}</Suspense>
        {/* One boundary: the page appears together with its band and does not shift. */}
        <Suspense fallback={null}>
          {owner && company && !company.confirmed && <Unconfirmed email={email} />}
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
