import { Button, Loader } from '@mantine/core';
import { me, type User } from '@propusk/contract/me';
import * as t from '@propusk/phrases/console';
import { IconCloudOff } from '@tabler/icons-react';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Navigate, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { queryOptions } from '../api/queries.ts';
import { token } from '../api/token.ts';
import { MeProvider, rolesOf } from '../entities/user/me.tsx';
import { isReturn, noteReturn } from '../entities/user/return-to.ts';
import { signInAgain, useSignInAgain } from '../forms/sign-in-again.ts';
import { unsaved } from '../forms/unsaved.ts';
import { useStored } from '../state.ts';
import { lazyDialog } from '../ui/lazy.tsx';
import { State } from '../ui/state.tsx';
import classes from './gate.module.css';
import { landing, sparesToken } from './landing.ts';
import { lazyPage } from './lazy-page.ts';
import { clientOf, expire, leave, resume, tabUser, useLeaving } from './session.ts';

const LOGIN_DELAY_MS = 1000;

const MustEnrolPage = lazyPage(
  () => import('../features/personal/factor/must-enrol-page.tsx'),
  'MustEnrolPage',
);

const SignInAgainDialog = lazyDialog(
  () => import('../features/auth/sign-in-again-dialog.tsx'),
  'SignInAgainDialog',
);

/** Guards the dashboard: only signed-in users, and only the areas of their roles (spec section 4). */
export function Gate({ children }: { children: ReactNode }) {
  // The token at page load. A new sign-in may replace the token, but the user of this page stays the same.
  const [bearer] = useState(token.read);
  const [client] = useState(() => bearer && clientOf(bearer));
  if (!client) return <SignInSoon />;
  return (
    <QueryClientProvider client={client}>
      <SignedIn>{children}</SignedIn>
    </QueryClientProvider>
  );
}

function SignInSoon() {
  const navigate = useNavigate();
  useEffect(() => {
    noteReturn();
    const timer = window.setTimeout(() => navigate({ to: '/auth/login', replace: true }), LOGIN_DELAY_MS);
    return () => window.clearTimeout(timer);
  }, [navigate]);
  return <Wait text={t.shell.signInSoon} />;
}

function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useQuery({ ...queryOptions(me, {}), staleTime: Number.POSITIVE_INFINITY });
  const { pathname } = useLocation();
  // A 4xx on the user lookup means an invalid token. After 5xx or 429 the server is down or busy: the user may retry.
  const refused =
    error instanceof ApiError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 429 &&
    !sparesToken(window.location);
  // A form with unsaved changes stays open after the session has ended: SignInAgainDialog renews the session.
  const spared = data !== undefined && unsaved.any();
  // The sign-in may have returned to the page of the tab's previous user. Another user begins at the start page.
  const previous = useStored(() => tabUser.read() ?? '');
  const id = data && String(data.id);
  const start = data && landing(rolesOf(data), '/dashboard');
  const isForeign =
    isReturn(pathname) && previous !== '' && previous !== id && start?.kind === 'go' && start.to !== pathname;
  const verdict = isForeign ? start : data && landing(rolesOf(data), pathname);
  const leaving = verdict?.kind === 'leave';
  const signingOut = useLeaving();
  // A separate state, so that a refetch does not close the enrolment while it shows the recovery codes.
  const [enrolling, setEnrolling] = useState(false);
  if (data && !enrolling && data.company?.secondFactorRequired && !data.secondFactor) setEnrolling(true);
  useEffect(() => {
    if (id !== undefined && !isForeign) tabUser.store(id);
  }, [id, isForeign]);
  useEffect(() => {
    if (refused && !spared) expire();
    else if (leaving) void leave();
  }, [refused, spared, leaving]);

  if (signingOut) return <Wait text={t.shell.leaving} />;
  if ((refused && !spared) || leaving) return <Wait text={t.shell.signInSoon} />;
  if (data && enrolling) {
    return (
      <MeProvider me={data}>
        <Suspense fallback={<Wait text={t.common.loading} />}>
          <MustEnrolPage onDone={() => setEnrolling(false)} onLeave={leave} />
        </Suspense>
        <SignInAgain me={data} />
      </MeProvider>
    );
  }
  if (data && verdict) {
    if (verdict.kind === 'go') return <Navigate to={verdict.to} replace ignoreBlocker />;
    return (
      <MeProvider me={data}>
        {children}
        <SignInAgain me={data} />
      </MeProvider>
    );
  }
  if (error) {
    return (
      <main className={classes.wait}>
        <State
          alert
          icon={<IconCloudOff size={24} />}
          title={t.shell.failed}
          hint={error.message}
          action={
            <>
              <Button onClick={() => refetch()}>{t.common.retry}</Button>
              <Button variant="default" onClick={leave}>
                {t.shell.exit}
              </Button>
            </>
          }
        />
      </main>
    );
  }
  return <Wait text={t.common.loading} />;
}

/** Renders the dialog that `signInAgain.ask()` opens. */
function SignInAgain({ me }: { me: User }) {
  return (
    <SignInAgainDialog
      opened={useSignInAgain()}
      email={me.email}
      onToken={(bearer) => resume(bearer, me)}
      onLeave={leave}
      onClose={() => signInAgain.settle(false)}
    />
  );
}

function Wait({ text }: { text: string }) {
  return (
    <main className={classes.wait}>
      <Loader size="sm" aria-hidden />
      <output>{text}</output>
    </main>
  );
}
