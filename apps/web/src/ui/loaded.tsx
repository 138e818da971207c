import { Skeleton, type SkeletonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failed, type FailedQuery } from './state.tsx';

/** Renders a query's data, also when a refetch fails. Before the data: a skeleton, or the failure and a button to retry. */
export function Loaded<Data>(
  props: Pick<SkeletonProps, 'height' | 'width' | 'w' | 'mx' | 'mb'> & {
    query: FailedQuery & { data: Data | undefined };
    title?: string;
    children?: (data: Data) => ReactNode;
  },
) {
  const { query, title, children, ...skeleton } = props;
  if (query.data !== undefined) return children?.(query.data);
  if (query.error) return <Failed query={query} {...(title && { title })} />;
  return <Skeleton {...skeleton} aria-busy />;
}
