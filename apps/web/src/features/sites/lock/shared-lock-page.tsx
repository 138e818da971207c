import { Button, Loader } from '@mantine/core';
import { openLockLink, type SharedLock } from '@propusk/contract/lock';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconCloudOff, IconLinkOff } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { paths } from '../../../paths.ts';
import { formatMoment } from '../../../ui/day.tsx';
import { Logo } from '../../../ui/logo.tsx';
import { State } from '../../../ui/state.tsx';
import { Toasts } from '../../../ui/toasts.tsx';
import { usePageTitle } from '../../../ui/use-page-title.ts';
import classes from './shared-lock-page.module.css';
import { Snippets } from './snippets.tsx';

/** /lock#token: the lines of one site's lock, for a colleague who has no account. */
export function SharedLockPage() {
  // The token stays in the address: the link works for seven days and must survive a reload.
  const linkToken = useLocation({ select: ({ hash }) => hash });
  return (
    <div className={classes.page}>
      <header>
        <Link to={paths.home} className={classes.logo} aria-label={t.common.toSites}>
          <Logo name={t.product} />
        </Link>
      </header>
      <main>
        {linkToken ? <Opened key={linkToken} linkToken={linkToken} /> : <Dead hint={t.sharedLock.noToken} />}
      </main>
      <Toasts />
    </div>
  );
}

function Opened({ linkToken }: { linkToken: string }) {
  const [lock, setLock] = useState<SharedLock | null>(null);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    call(openLockLink, { body: { token: linkToken } }, gone.signal).then(setLock, (error: unknown) => {
      if (!gone.signal.aborted)
        setFailure(error instanceof ApiError ? error : new ApiError('network', t.failures.unexpected, 0));
    });
    return () => gone.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another try is the same call again
  }, [linkToken, tries]);

  if (lock) return <Lines lock={lock} />;
  if (failure?.code === 'lock_link_dead') return <Dead hint={failure.message} />;
  if (failure) {
    return (
      <Card title={failure.message}>
        <State
          alert
          alone
          icon={<IconCloudOff size={24} />}
          title={failure.message}
          action={
            <Button
              variant="default"
              onClick={() => {
                setFailure(null);
                setTries(tries + 1);
              }}
            >
              {t.common.retry}
            </Button>
          }
        />
      </Card>
    );
  }
  return (
    <Card title={t.common.loading}>
      <output className={classes.wait}>
        <Loader size="sm" aria-hidden /> {t.common.loading}
      </output>
    </Card>
  );
}

function Lines({ lock }: { lock: SharedLock }) {
  const host = unicodeHost(lock.address);
  const title = t.sharedLock.title(host);
  usePageTitle(title);
  return (
    <>
      <h1 className={classes.title}>{title}</h1>
      <p className={classes.lead}>{t.sharedLock.lead}</p>
      <div className={classes.lines}>
        <Snippets snippets={lock.snippets} heading="h2" />
      </div>
      <p className={classes.after}>
        {t.sharedLock.after} {t.sharedLock.until(formatMoment(lock.expiresAt))}
      </p>
    </>
  );
}

function Dead({ hint }: { hint: string }) {
  return (
    <Card title={t.sharedLock.dead}>
      <State alert alone icon={<IconLinkOff size={24} />} title={t.sharedLock.dead} hint={hint} />
    </Card>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return <div className={classes.card}>{children}</div>;
}
