import { Button, Group } from '@mantine/core';
import type { companyVisits, listVisits, myVisits, Visit } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type CallInput, call } from '../../api/call.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Failed } from '../../ui/state.tsx';

/** A list of visits, newest first, with a button that adds the next page. */
export function VisitList<E extends typeof listVisits | typeof myVisits | typeof companyVisits>(props: {
  label: string;
  list: E;
  /** The id of the company whose visits an ADMIN reads. */
  params?: CallInput<E>['params'];
  query: NonNullable<CallInput<E>['query']>;
  columns: readonly Column<Visit>[];
  rowOpen?: (visit: Visit) => () => void;
  empty: ReactNode;
}) {
  const { list, params, query: filter } = props;
  const query = useInfiniteQuery({
    queryKey: [list.path, 'pages', params, filter],
    queryFn: ({ pageParam, signal }) =>
      call(
        list as typeof companyVisits,
        { params: params as { id: number }, query: { ...filter, before: pageParam } },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const failed = query.error && !query.data && <Failed query={query} title={t.visits.failed} />;
  return (
    <>
      <DataTable<Visit>
        label={props.label}
        columns={props.columns}
        rows={failed ? [] : query.data?.pages.flatMap(({ rows }) => rows)}
        rowOpen={(visit) => props.rowOpen?.(visit)}
        skeletonRows={10}
        stale={query.isPlaceholderData}
        fallback={failed || props.empty}
      />
      {query.hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {t.visits.more}
          </Button>
        </Group>
      )}
    </>
  );
}
