import { Text, VisuallyHidden } from '@mantine/core';
import { listRequests } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { Tag } from '../../ui/tags.tsx';

/** The number of open requests of companies, polled every minute. Shows nothing without open requests. */
export function WaitingRequests() {
  const query = { state: 'open', page: 1, take: 1 } as const;
  const { data } = useQuery({ ...queryOptions(listRequests, { query }), refetchInterval: 60_000 });
  if (!data || data.count === 0) return null;
  return (
    <Text span ml="auto">
      <Tag tone="special">
        <VisuallyHidden>{t.requests.waiting}: </VisuallyHidden>
        {data.count}
      </Tag>
    </Text>
  );
}
