import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { platformState, type StateFinding } from '@propusk/contract/state';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queryOptions } from '../../api/queries.ts';
import { CheckList } from '../../ui/check-list.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Failed } from '../../ui/state.tsx';

/** Failed checks first, then checks without a result. */
const order: readonly StateFinding['level'][] = ['error', 'warning', 'unknown', 'ok'];
const looks = { ok: 'passed', warning: 'failed', error: 'failed', unknown: 'skipped' } as const;

/** /dashboard/admin/state: the results of the server's checks, with a remedy for each problem. */
export function StatePage() {
  const query = useQuery({ ...queryOptions(platformState, {}), staleTime: Number.POSITIVE_INFINITY });
  const { data, isFetching, refetch } = query;
  const checks = order.flatMap((level) => (data?.findings ?? []).filter((each) => each.level === level));
  return (
    <>
      <PageHeader
        title={t.state.title}
        actions={
          <Button variant="default" loading={isFetching} onClick={() => refetch()}>
            {t.state.again}
          </Button>
        }
      />
      {query.error && !data && <Failed query={query} title={t.state.failed} />}
      {!query.error && !data && (
        <Stack component="output">
          <Text c="dimmed">{t.state.checking}</Text>
          <Skeleton height={320} />
        </Stack>
      )}
      {data && (
        <Stack>
          <Text c="dimmed">{t.state.lead(data.version)}</Text>
          <CheckList
            label={t.state.list}
            checks={checks.map(({ code, level, title, text, mend }, at) => ({
              key: `${code} ${at}`,
              title,
              state: looks[level],
              says: t.state.levels[level],
              detail: text,
              advice: code === 'egress_unknown' ? <Link to="/dashboard/admin/proxies">{mend}</Link> : mend,
            }))}
          />
        </Stack>
      )}
    </>
  );
}
