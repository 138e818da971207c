import { NativeSelect, Pagination, Text } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import type { ReactNode } from 'react';
import { pageSizes } from './page-sizes.ts';
import classes from './pager.module.css';

const SMALLEST = Math.min(...pageSizes);

/** The pager of a list. */
export function Pager(props: {
  page: number;
  take: number;
  count: number;
  onPage: (page: number) => void;
  onTake: (take: number) => void;
  children?: ReactNode;
}) {
  const { page, take, count } = props;
  const pages = Math.ceil(count / take);
  return (
    <nav className={classes.pager} aria-label={t.list.pages}>
      <Text mr="auto" c="dimmed">
        {t.list.range((page - 1) * take + 1, Math.min(page * take, count), count)}
      </Text>
      {props.children}
      {pages > 1 && (
        <Pagination
          value={page}
          total={pages}
          onChange={props.onPage}
          getItemProps={(item) => ({ 'aria-label': t.list.page(item) })}
          getControlProps={(control) => ({
            'aria-label': control === 'next' ? t.list.nextPage : t.list.previousPage,
          })}
        />
      )}
      {count > SMALLEST && (
        <NativeSelect
          w={80}
          aria-label={t.list.take}
          value={String(take)}
          data={pageSizes.map(String)}
          onChange={(event) => props.onTake(Number(event.currentTarget.value))}
        />
      )}
    </nav>
  );
}
