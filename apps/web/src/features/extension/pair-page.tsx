import { Button, Loader } from '@mantine/core';
import { createPairing } from '@propusk/contract/auth';
import * as t from '@propusk/phrases/console';
import { IconCircleCheck, IconClockX, IconKey, IconPlugConnectedX, IconPuzzle } from '@tabler/icons-react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { token } from '../../api/token.ts';
import { noteReturn } from '../../entities/user/return-to.ts';
import { useAttempt } from '../../forms/use-attempt.ts';
import { Standalone } from '../../frame/standalone.tsx';
import { Card } from '../../ui/card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { State } from '../../ui/state.tsx';
import { usePageTitle } from '../../ui/use-page-title.ts';
import { InstallStep, isPhone, OldBuild, OnPhone } from './install-step.tsx';
import { OwnSites } from './own-sites.tsx';
import { type Status, useExtension } from './use-extension.ts';

// The page works without a session too, so it is outside the dashboard and its query client.
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });

/**
 * /extension/pair: guides a user from the installation of the extension to the first site. With a code in the fragment, the extension
 * reads the code, asks the user, and signs in. The page then shows the outcome that the extension reports. The dashboard links to this
 * page with a full page load, because the gate of the dashboard would redirect to a page of the dashboard.
 */
export function PairPage() {
  usePageTitle(t.pairing.title);
  useEffect(() => {
    // The content script of the extension runs only when a document loads under this path.
    const [loaded] = performance.getEntriesByType('navigation');
    if (loaded && new URL(loaded.name).pathname !== window.location.pathname) window.location.reload();
  }, []);
  return (
    <Standalone width={640}>
      <QueryClientProvider client={client}>
        <Card>{isPhone ? <OnPhone /> : <Pairing />}</Card>
      </QueryClientProvider>
    </Standalone>
  );
}

const icons = {
  looking: IconPuzzle,
  asking: IconPuzzle,
  done: IconCircleCheck,
  noCode: IconKey,
  failed: IconClockX,
  refused: IconPlugConnectedX,
};

function Pairing() {
  const [hasCode] = useState(window.location.hash.length > 1);
  const { status, ids } = useExtension();
  const isAbsent = status === 'absent';
  useEffect(() => {
    // The code would have expired when the extension, after its installation, reloads the page.
    if (isAbsent) window.history.replaceState(null, '', window.location.pathname);
  }, [isAbsent]);
  if (isAbsent) {
    return (
      <output>
        <InstallStep
          next={
            <>
              {hasCode && <Notice kind="warning">{t.pairing.notFound}</Notice>}
              <NewCode label={t.pairing.installed} variant="default" />
            </>
          }
        />
      </output>
    );
  }
  const message = messageOf(status, hasCode);
  const Icon = icons[message];
  return (
    <output>
      <State
        alone
        icon={<Icon size={24} />}
        title={t.pairing[message]}
        hint={t.pairing[`${message}Hint`]}
        action={
          <>
            {message !== 'looking' && <OldBuild ids={ids} />}
            <Action message={message} />
          </>
        }
      />
    </output>
  );
}

function messageOf(status: Exclude<Status, 'absent'>, hasCode: boolean): keyof typeof icons {
  if (status === 'looking') return status;
  if (status === 'yes') return 'done';
  if (!hasCode) return 'noCode';
  return status === 'there' ? 'asking' : status;
}

function Action({ message }: { message: keyof typeof icons }) {
  if (message === 'looking' || message === 'asking') return <Loader size="sm" aria-hidden />;
  if (message === 'done') return <OwnSites />;
  return <NewCode label={message === 'noCode' ? t.extension.signIn : t.pairing.newCode} />;
}

/** A button that requests another code for the signed-in user, or without a session a link to the login page. */
function NewCode({ label, variant }: { label: string; variant?: 'default' }) {
  const attempt = useAttempt();
  const ask = () =>
    attempt.run(async () => {
      const { code } = await call(createPairing, {});
      // The extension reads the URL only on page load, so an extension installed after that needs a reload.
      window.history.replaceState(null, '', `#${code}`);
      window.location.reload();
    });

  // The session may have ended since this page was opened.
  if (token.read() === null || attempt.code === 'unauthorized') {
    return (
      <Button component={Link} to="/auth/login" onClick={noteReturn} variant={variant}>
        {t.pairing.toLogin}
      </Button>
    );
  }
  // Until the user has a second factor, every page of the dashboard shows the enrolment.
  if (attempt.code === 'second_factor_required') {
    return (
      <>
        <Notice kind="warning">{attempt.failure}</Notice>
        <Button component={Link} to="/dashboard">
          {t.pairing.toConsole}
        </Button>
      </>
    );
  }
  return (
    <>
      <Button loading={attempt.busy} onClick={ask} variant={variant}>
        {label}
      </Button>
      {attempt.failure && <Notice kind="error">{attempt.failure}</Notice>}
    </>
  );
}
