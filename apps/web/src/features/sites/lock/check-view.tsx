import { Button, Loader, Skeleton, Stack, Text } from '@mantine/core';
import { checkSite, getSiteCheck, type SiteCheck } from '@propusk/contract/probe';
import * as t from '@propusk/phrases/console';
import { IconShieldQuestion } from '@tabler/icons-react';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react';
import { call } from '../../../api/call.ts';
import { formatMoment } from '../../../ui/day.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Outcome } from '../../../ui/outcome.tsx';
import { Failed, State } from '../../../ui/state.tsx';
import { CheckSteps } from './check-steps.tsx';
import classes from './lock-dialog.module.css';
import { verdicts } from './verdicts.ts';

/** Poll interval of a running probe, in milliseconds. */
const POLL_MS = 500;

/**
 * A probe of a site, step by step, and its verdict.
 * @param props.begin whether to start a probe at once; otherwise the view shows the last probe
 */
export function CheckView(props: {
  siteId: number;
  begin: boolean;
  onLock: () => void;
  onVantages: () => void;
  onAddSite: (host: string) => void;
  /** The paths of the probe. */
  children: ReactNode;
}) {
  const { start, query } = useCheck(props.siteId);
  const check = query.data;
  const begun = useRef(false);
  const begin = useEffectEvent(() => {
    if (!props.begin || begun.current) return;
    begun.current = true;
    start.mutate();
  });
  useEffect(() => begin(), []);

  const running = start.isPending || check?.state === 'running';
  // While a new probe is being started, the loaded data still belongs to the previous one.
  const shown = start.isPending ? null : check;
  return (
    <Stack gap={20}>
      {start.error && <Notice kind="error">{start.error.message}</Notice>}
      {running ? (
        <Outcome tone="neutral" icon={<Loader size={20} />} title={t.lock.checking}>
          <Text c="dimmed">{t.lock.checkingHint}</Text>
        </Outcome>
      ) : (
        shown && <VerdictOutcome check={shown} onAddSite={props.onAddSite} />
      )}
      {shown && <CheckSteps state={shown.state} steps={shown.steps} proof={shown.proof} />}
      {!running && !shown && <Nothing query={query} />}
      {props.children}
      {(shown !== undefined || start.error) && (
        <footer className={classes.footer}>
          {shown?.finishedAt && (
            <Text size="xs" c="dimmed" mr="auto">
              {t.lock.checkedAt(formatMoment(shown.finishedAt))}
            </Text>
          )}
          <Button variant="subtle" onClick={props.onVantages}>
            {t.vantages.open}
          </Button>
          <Button variant="default" onClick={props.onLock}>
            {t.lock.toLock}
          </Button>
          <Button loading={running} onClick={() => start.mutate()}>
            {shown ? t.lock.checkAgain : t.lock.check}
          </Button>
        </footer>
      )}
    </Stack>
  );
}

/** Shown when the site has no probe yet, or when the call for the last probe failed. */
function Nothing({ query }: { query: UseQueryResult<SiteCheck | null> }) {
  if (query.isPending) return <Skeleton height={96} />;
  if (query.error) return <Failed query={query} />;
  return <State icon={<IconShieldQuestion size={24} />} title={t.lock.never} hint={t.lock.neverHint} />;
}

/** Reads a site's last probe, polls while it runs, and starts a new one. */
function useCheck(siteId: number) {
  const client = useQueryClient();
  const params = { id: siteId };
  const queryKey = [getSiteCheck.path, { params }] as const;
  const query = useQuery({
    queryKey,
    // `call` returns undefined for an empty body, which TanStack Query rejects as data.
    queryFn: async ({ signal }): Promise<SiteCheck | null> =>
      (await call(getSiteCheck, { params }, signal)) ?? null,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? POLL_MS : false),
  });
  const start = useMutation({
    mutationFn: () => call(checkSite, { params }),
    onSuccess: async (check) => {
      // Cancel a poll that is still pending: its reply may describe the previous probe.
      await client.cancelQueries({ queryKey });
      client.setQueryData(queryKey, check);
    },
  });
  const state = query.data?.state;
  const ran = useRef(false);
  useEffect(() => {
    if (state === 'running') ran.current = true;
    // The lists of sites show the verdict too, so refetch them when the probe has ended.
    else if (ran.current) {
      ran.current = false;
      void client.invalidateQueries();
    }
  }, [state, client]);
  return { start, query };
}

/** The verdict of a probe: its meaning, and its advice unless a step below shows the same advice. */
function VerdictOutcome({ check, onAddSite }: { check: SiteCheck; onAddSite: (host: string) => void }) {
  const { leadsTo } = check;
  const verdict = check.verdict ?? 'unknown';
  const { tone, Icon } = verdicts[verdict];
  return (
    <Outcome tone={tone} icon={<Icon size={22} stroke={1.75} />} title={t.sites.verdicts[verdict]}>
      {check.meaning && <Text component="span">{check.meaning}</Text>}
      {check.advice && check.steps.every(({ advice }) => advice !== check.advice) && (
        <Text component="span">
          <b>{t.lock.advice}:</b> {check.advice}
        </Text>
      )}
      {leadsTo !== null && (
        <Button variant="default" size="compact-sm" mt={4} mr="auto" onClick={() => onAddSite(leadsTo)}>
          {t.lock.addSite}
        </Button>
      )}
    </Outcome>
  );
}
