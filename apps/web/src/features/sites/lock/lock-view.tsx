import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import {
  type EgressOfProxy,
  getSiteLock,
  learnEgress,
  type SiteLock,
  shareLock,
} from '@propusk/contract/lock';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconRefresh, IconRoute, IconSend, IconShieldCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { call } from '../../../api/call.ts';
import { queryOptions } from '../../../api/queries.ts';
import { proxyName } from '../../../entities/user/names.ts';
import { Card } from '../../../ui/card.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatMoment } from '../../../ui/day.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Failed, State } from '../../../ui/state.tsx';
import { Tag, Tags } from '../../../ui/tags.tsx';
import classes from './lock-dialog.module.css';
import { Snippets } from './snippets.tsx';

/** Poll interval while the egress of a proxy is unknown, in milliseconds. */
const WATCH_MS = 10_000;

interface LockProps {
  onCheck: () => void;
  onVantages: () => void;
  onAssign: () => void;
  /** The section with the URL paths that the probe requests. */
  children: ReactNode;
}

/** A site's lock: the egress addresses, the lines for each kind of web server, and a link to share them. */
export function LockView({ siteId, ...props }: LockProps & { siteId: number }) {
  const query = useQuery({
    ...queryOptions(getSiteLock, { params: { id: siteId } }),
    // The server repeats a failed request for the egress address of its own gateway every minute.
    refetchInterval: ({ state }) => state.data?.egress.some(({ problem }) => problem !== null) && WATCH_MS,
  });
  if (query.data) return <Lock lock={query.data} {...props} />;
  if (query.error) return <Failed query={query} />;
  return (
    <Stack gap={20} aria-busy="true">
      <Skeleton height={16} width="80%" radius="xs" />
      <Skeleton height={72} />
      <Skeleton height={32} width="90%" />
      <Skeleton height={200} />
    </Stack>
  );
}

function Lock({ lock, onCheck, onVantages, onAssign, children }: LockProps & { lock: SiteLock }) {
  const client = useQueryClient();
  const params = { id: lock.site.id };
  const learn = useMutation({
    mutationFn: () => call(learnEgress, { params }),
    onSuccess: (learned) => client.setQueryData(queryOptions(getSiteLock, { params }).queryKey, learned),
  });
  const known = lock.snippets.length > 0;
  // If the egress addresses were never requested, requests them without a click. After a failure a button retries.
  const first =
    lock.egress.length > 0 &&
    lock.egress.every(({ learnedAt, problem }) => learnedAt === null && problem === null);
  const asked = useRef(false);
  const ask = useEffectEvent(() => learn.mutate());
  useEffect(() => {
    if (!first || asked.current) return;
    asked.current = true;
    ask();
  }, [first]);

  if (lock.egress.length === 0) {
    return (
      <State
        icon={<IconRoute size={24} />}
        title={t.lock.noPolicy}
        hint={t.lock.noPolicyHint}
        action={<Button onClick={onAssign}>{t.lock.assign}</Button>}
      />
    );
  }
  return (
    <Stack gap={20}>
      <Text c="dimmed">{t.lock.lead}</Text>
      {lock.breaks.length > 0 && (
        <Notice kind="warning">
          {t.lock.breaks} <b>{lock.breaks.map(({ name }) => unicodeHost(name)).join(', ')}</b>
        </Notice>
      )}
      <Stack component="section" gap="xs">
        <Group component="header" justify="space-between" gap="xs">
          <Text component="h3" m={0} fw={600}>
            {t.lock.egress}
          </Text>
          {known && (
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconRefresh size={16} aria-hidden />}
              loading={learn.isPending}
              onClick={() => learn.mutate()}
            >
              {t.lock.learn}
            </Button>
          )}
        </Group>
        <EgressList egress={lock.egress} />
        <output>{learn.isPending && <Text c="dimmed">{t.lock.learning}</Text>}</output>
        {learn.error && <Notice kind="error">{learn.error.message}</Notice>}
      </Stack>
      {known ? (
        <Snippets snippets={lock.snippets} heading="h3" />
      ) : (
        <State
          icon={<IconRoute size={24} />}
          title={t.lock.noSnippets}
          hint={t.lock.noSnippetsHint}
          action={
            <Button loading={learn.isPending} onClick={() => learn.mutate()}>
              {t.lock.learnFirst}
            </Button>
          }
        />
      )}
      {children}
      {known && (
        <footer className={classes.footer}>
          <div className={classes.share}>
            <ShareLink siteId={lock.site.id} />
          </div>
          <Button variant="subtle" onClick={onVantages}>
            {t.vantages.open}
          </Button>
          <Button leftSection={<IconShieldCheck size={16} aria-hidden />} onClick={onCheck}>
            {t.lock.check}
          </Button>
        </footer>
      )}
    </Stack>
  );
}

/** Creates a link that shows only the lock's lines, for a colleague without an account. */
function ShareLink({ siteId }: { siteId: number }) {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => call(shareLock, { params: { id: siteId } }),
  });
  if (data) {
    return (
      <TextInput
        w="100%"
        label={t.lock.shareLink}
        description={`${t.lock.shareHint} ${t.lock.shareUntil(formatMoment(data.expiresAt))}`}
        value={data.url}
        readOnly
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        rightSection={<CopyButton value={data.url} label={t.lock.copyLink} />}
      />
    );
  }
  return (
    <>
      {error && <Notice kind="error">{error.message}</Notice>}
      <Button
        variant="default"
        leftSection={<IconSend size={16} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        {t.lock.share}
      </Button>
    </>
  );
}

/** The observed egress addresses of each proxy of a site's policies, with the time of the observation. */
function EgressList({ egress }: { egress: readonly EgressOfProxy[] }) {
  return (
    <Card>
      <ul aria-label={t.lock.egress}>
        {egress.map((one) => (
          <li key={one.proxy.id} className={classes.line}>
            <div className={classes.proxy}>
              <Text fw={500}>{proxyName({ host: one.proxy.name, direct: one.direct })}</Text>
              <Tags names={one.politics} none="" />
            </div>
            <div className={classes.addresses}>
              {one.addresses.length > 0 ? <code>{one.addresses.join(', ')}</code> : t.lock.noAddress}
              <Group component="span" gap="4px 8px" fz={12} c="dimmed">
                {one.learnedAt
                  ? t.lock.learned(formatMoment(one.learnedAt))
                  : one.problem === null && t.lock.notLearned}
                {one.stale && <Tag tone="special">{t.lock.stale}</Tag>}
              </Group>
            </div>
            {one.problem && <p className={classes.problem}>{one.problem}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}
