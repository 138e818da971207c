import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { checkProxy, type Proxy, type ProxyCheck } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { IconCircleCheck, IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { proxyName } from '../../entities/user/names.ts';
import { Dialog, useExit } from '../../forms/dialog.tsx';
import { type Check, CheckList } from '../../ui/check-list.tsx';
import { formatMoment } from '../../ui/day.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Outcome } from '../../ui/outcome.tsx';

/** When it opens, asks the server to call the echo service through a proxy, and shows the result. */
export function CheckProxyDialog({ proxy, onClose }: { proxy: Proxy; onClose: () => void }) {
  const params = { id: proxy.id };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [checkProxy.path, { params }],
    queryFn: () => call(checkProxy, { params }),
    // No automatic refetch: each check dials the proxy. Reopening the dialog checks again.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const exit = useExit(onClose);
  return (
    <Dialog exit={exit} onClose={exit.leave} title={t.proxies.checkOf(proxyName(proxy))} size={480}>
      <Stack gap="md">
        {isFetching ? (
          <Outcome tone="neutral" icon={<Loader size={20} />} title={t.proxyCheck.running}>
            <Text c="dimmed">{t.proxyCheck.runningHint}</Text>
          </Outcome>
        ) : (
          <>
            {error && <Notice kind="error">{error.message}</Notice>}
            {data && <Checked check={data} />}
          </>
        )}
      </Stack>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={() => exit.leave()} data-autofocus>
          {t.common.close}
        </Button>
        <Button loading={isFetching} onClick={() => refetch()}>
          {t.proxyCheck.again}
        </Button>
      </Group>
    </Dialog>
  );
}

function Checked({ check }: { check: ProxyCheck }) {
  const well = check.problem === null;
  return (
    <>
      <Outcome
        tone={well ? 'good' : 'bad'}
        icon={
          well ? <IconCircleCheck size={22} stroke={1.75} /> : <IconPlugConnectedX size={22} stroke={1.75} />
        }
        title={well ? t.proxyCheck.works : t.proxyCheck.fails}
      >
        {check.problem && <Text component="span">{check.problem}</Text>}
        <Text component="span" c="dimmed" size="xs">
          {t.proxyCheck.checkedAt(formatMoment(check.checkedAt))}
        </Text>
      </Outcome>
      <CheckList label={t.proxies.check} checks={linesOf(check)} />
    </>
  );
}

/** One line for each result of the check. */
function linesOf({ reachable, credentialsAccepted, egress, roundTripMs }: ProxyCheck): Check[] {
  const line = (title: string, right: boolean | null, detail: string): Check => ({
    key: title,
    title,
    state: right === null ? 'skipped' : right ? 'passed' : 'failed',
    says: right === null ? t.lock.skipped : right ? t.lock.passed : t.lock.failed,
    detail,
  });
  const words = t.proxyCheck;
  return [
    line(words.reachable, reachable, reachable ? words.yes : words.no),
    line(
      words.credentials,
      credentialsAccepted,
      credentialsAccepted === null ? words.notAsked : credentialsAccepted ? words.accepted : words.rejected,
    ),
    line(words.egress, egress.length > 0 || null, egress.join(', ') || words.unknown),
    line(
      words.roundTrip,
      roundTripMs === null ? null : true,
      roundTripMs === null ? t.common.none : words.milliseconds(roundTripMs),
    ),
  ];
}
