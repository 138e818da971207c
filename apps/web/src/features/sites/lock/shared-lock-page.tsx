import { Box, Loader, Text } from '@mantine/core';
import { openLockLink, type SharedLock } from '@propusk/contract/lock';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconLinkOff } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { call } from '../../../api/call.ts';
import { useAttempt } from '../../../forms/use-attempt.ts';
import { Standalone } from '../../../frame/standalone.tsx';
import { Card } from '../../../ui/card.tsx';
import { formatMoment } from '../../../ui/day.tsx';
import { Failed, State } from '../../../ui/state.tsx';
import { Toasts } from '../../../ui/toasts.tsx';
import { usePageTitle } from '../../../ui/use-page-title.ts';
import { Snippets } from './snippets.tsx';

/** /lock#token: the lines of one site's lock, for a colleague who has no account. */
export function SharedLockPage() {
  // The token stays in the URL, so that a reload works during the link's seven days.
  const linkToken = useLocation({ select: ({ hash }) => hash });
  return (
    <Standalone width={800}>
      {linkToken ? <Opened key={linkToken} linkToken={linkToken} /> : <Dead hint={t.sharedLock.noToken} />}
      <Toasts />
    </Standalone>
  );
}

function Opened({ linkToken }: { linkToken: string }) {
  // Plain state instead of useQuery: without a session the page has no query client.
  const [lock, setLock] = useState<SharedLock | null>(null);
  const attempt = useAttempt();
  const open = () =>
    attempt.run(async () => setLock(await call(openLockLink, { body: { token: linkToken } })));
  const first = useEffectEvent(open);
  useEffect(() => void first(), []);

  if (lock) return <Lines lock={lock} />;
  if (attempt.failure === null) {
    return (
      <Titled
        title={t.common.loading}
        state={<State icon={<Loader size="sm" />} title={t.common.loading} />}
      />
    );
  }
  if (attempt.code === 'lock_link_dead') return <Dead hint={attempt.failure} />;
  const query = { error: new Error(attempt.failure), isFetching: attempt.busy, refetch: open };
  return <Titled title={attempt.failure} state={<Failed alone query={query} />} />;
}

function Lines({ lock }: { lock: SharedLock }) {
  const host = unicodeHost(lock.address);
  const title = t.sharedLock.title(host);
  usePageTitle(title);
  return (
    <>
      <h1>{title}</h1>
      <p>{t.sharedLock.lead}</p>
      <Card>
        <Box p="md">
          <Snippets snippets={lock.snippets} heading="h2" />
        </Box>
      </Card>
      <Text c="dimmed" mt="md">
        {t.sharedLock.after} {t.sharedLock.until(formatMoment(lock.expiresAt))}
      </Text>
    </>
  );
}

function Dead({ hint }: { hint: string }) {
  const title = t.sharedLock.dead;
  return (
    <Titled
      title={title}
      state={<State alert alone icon={<IconLinkOff size={24} />} title={title} hint={hint} />}
    />
  );
}

function Titled({ title, state }: { title: string; state: ReactNode }) {
  usePageTitle(title);
  return <Card>{state}</Card>;
}
