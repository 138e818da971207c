import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { usePagination } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
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
      {pages > 1 && <Pages page={page} total={pages} onPage={props.onPage} />}
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

/** Buttons for the pages. Mantine's Pagination adds 3 KB gzip to the first screen for its variants. */
function Pages({ page, total, onPage }: { page: number; total: number; onPage: (page: number) => void }) {
  const { range } = usePagination({ total, page, onChange: onPage });
  const control = (to: number, label: string, content: ReactNode) => (
    <Button
      key={label}
      variant={to === page ? 'filled' : 'default'}
      miw={36}
      px={8}
      aria-label={label}
      aria-current={to === page ? 'page' : undefined}
      disabled={to < 1 || to > total}
      onClick={() => onPage(to)}
    >
      {content}
    </Button>
  );
  return (
    <Group gap={8}>
      {control(page - 1, t.list.previousPage, <IconChevronLeft size={16} aria-hidden />)}
      {/* The key of dots is their place: there are at most two. */}
      {range.map((item, at) =>
        item === 'dots' ? (
          <span key={at < 3 ? 'first' : 'last'}>…</span>
        ) : (
          control(item, t.list.page(item), item)
        ),
      )}
      {control(page + 1, t.list.nextPage, <IconChevronRight size={16} aria-hidden />)}
    </Group>
  );
}
