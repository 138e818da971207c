import { Button } from '@mantine/core';
import { isExported } from '@propusk/contract/endpoint';
import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { type List, type ListEndpoint, listOptions } from '../api/list.ts';
import { type Column, DataTable } from '../ui/data-table.tsx';
import { lazyDialog } from '../ui/lazy.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Pager } from '../ui/pager.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Failed, State } from '../ui/state.tsx';
import { ExportButton } from './export-button.tsx';
import { FilterButton, FilterChips, type Filters, usePolicyFilter, valuesOf } from './filters.tsx';
import { type ListSearch, type Period, parseListSearch } from './list-search.ts';
import { type RowAction, RowMenu } from './row-menu.tsx';
import { type IdsEndpoint, useSelection } from './use-selection.ts';

const BulkBar = lazyDialog(() => import('./bulk-bar.tsx'), 'BulkBar');

/**
 * A page with a list. Its props declare the call, the columns, the row menu and the empty state. The URL holds the page
 * number, the page size and the search.
 */
export function ListPage<Row extends { id: number }>(props: {
  title: string;
  help: string;
  /** A warning beside the title. */
  alarm?: ReactNode;
  /** Content between the header and the table. */
  above?: ReactNode;
  /** Content above the table, on the first page of an unfiltered list that is not empty. */
  introduction?: (list: List<Row>) => ReactNode;
  searchLabel: string;
  list: ListEndpoint<Row>;
  /** Extra query parameters besides page and search. */
  filter?: Readonly<Record<string, string>>;
  /** The filters that the user may set. */
  filters?: Filters;
  /** Renders the period fields and a filter beside the search. */
  period?: (period: Period, go: (next: ListSearch) => void) => ReactNode;
  columns: readonly Column<Row>[];
  rowClass?: (row: Row) => string | undefined;
  rowMenu?: {
    name: (row: Row) => string;
    actions: (row: Row) => readonly RowAction[];
    /** Renders a control at the end of rows that have no menu. */
    alone?: (row: Row) => ReactNode;
  };
  /** The rows can be selected, for changes of many rows. `ids` selects the rows of all pages. */
  bulk?: { of: 'site' | 'user' | 'policy'; ids: IdsEndpoint } | undefined;
  empty: { icon: ReactNode; title: string; hint?: string; action?: ReactNode };
  actions?: ReactNode;
}) {
  const { rowMenu } = props;
  const navigate = useNavigate();
  const search = parseListSearch(useSearch({ strict: false }));
  const { page = 1, take = limits.page.take, name } = search;
  const [isFiltering, setIsFiltering] = useState(false);
  const isPolicies = props.bulk !== undefined && props.bulk.of !== 'policy';
  const byPolicy = usePolicyFilter(isPolicies ? search.policy : undefined, isPolicies && isFiltering);
  const values = valuesOf({ ...props.filters, ...byPolicy }, search);
  const active = values.filter((value) => value.active);
  const filter = { ...props.filter, ...Object.fromEntries(active.map(({ key, value }) => [key, value])) };
  const period = props.period && { from: search.from, to: search.to };
  const query = useQuery({
    ...listOptions(props.list, { ...filter, ...period, page, take, name }),
    placeholderData: keepPreviousData,
  });
  const { data, isPlaceholderData } = query;
  const selection = useSelection(props.bulk?.ids, { ...filter, name });

  function menuOf(row: Row): ReactNode {
    const actions = rowMenu?.actions(row) ?? [];
    if (rowMenu === undefined || actions.length === 0) return rowMenu?.alone?.(row);
    return <RowMenu name={rowMenu.name(row)} actions={actions} />;
  }

  function mainAction(row: Row) {
    const main = rowMenu?.actions(row).find((action) => action.main);
    return main && 'link' in main ? () => void navigate(main.link) : undefined;
  }

  /** Merges a change into the current URL, because a delayed search may arrive after another filter has changed. */
  function go(next: ListSearch, replace = false) {
    void navigate({ to: '.', search: (old: ListSearch) => parseListSearch({ ...old, ...next }), replace });
  }

  const reset = () => void navigate({ to: '.', search: parseListSearch({ take }) });
  const toLast = useEffectEvent((last: number) => go({ page: last }, true));
  // When the last page has lost its last row, go to the page before it.
  const lastPage = data && !isPlaceholderData ? Math.max(1, Math.ceil(data.count / take)) : undefined;
  useEffect(() => {
    if (lastPage !== undefined && page > lastPage) toLast(lastPage);
  }, [lastPage, page]);

  // An empty page means an empty list only when the reply belongs to the current query and its count is zero.
  const settled = data?.rows.length !== 0 || (!isPlaceholderData && data.count === 0);
  const rows = settled ? data?.rows : undefined;

  // A list that was loaded once stays visible when a refetch fails; a toast reports the failure.
  const failed = query.error && !data && <Failed query={query} title={t.list.failed} />;
  const filtered = active.length > 0 || (period && (search.from || search.to));
  const noMatch = (name || filtered) && (
    <State
      icon={<IconSearch size={24} />}
      title={name && !filtered ? t.list.noMatch(name) : t.list.noneThen}
      action={
        <Button variant="default" onClick={reset}>
          {filtered ? t.list.reset : t.common.clearSearch}
        </Button>
      }
    />
  );

  const choose = (next: ListSearch) => go({ ...next, page: 1 });
  const button = values.length > 0 && (
    <FilterButton values={values} go={choose} onOpen={() => setIsFiltering(true)} />
  );
  return (
    <>
      <PageHeader
        title={props.title}
        help={props.help}
        alarm={props.alarm}
        search={
          <SearchField
            label={props.searchLabel}
            value={name ?? ''}
            onSearch={(value) => go({ name: value, page: 1 }, true)}
          />
        }
        filter={!period && button}
        actions={period ? props.period?.(period, (next) => go({ ...next, page: 1 }, true)) : props.actions}
      />
      {props.above}
      {(active.length > 0 || period) && <FilterChips values={active} go={choose} before={period && button} />}
      {data && rows && rows.length > 0 && page === 1 && !name && !filtered && props.introduction?.(data)}
      <DataTable<Row>
        label={props.title}
        columns={props.columns}
        rowClass={props.rowClass}
        rows={failed ? [] : rows}
        selection={
          props.bulk && { ...selection, name: (row) => rowMenu?.name(row) ?? '', total: data?.count ?? 0 }
        }
        rowMenu={rowMenu && menuOf}
        rowOpen={mainAction}
        skeletonRows={Math.min(take, limits.page.take)}
        stale={isPlaceholderData}
        fallback={failed || noMatch || <State {...props.empty} />}
      />
      {data && !failed && data.count > 0 && (
        <Pager
          page={page}
          take={take}
          count={data.count}
          onPage={(next) => go({ page: next })}
          onTake={(next) => go({ take: next, page: 1 })}
        >
          {isExported(props.list) && (
            <ExportButton endpoint={props.list} query={{ ...filter, ...period, name }} formats={['csv']} />
          )}
        </Pager>
      )}
      {props.bulk && data && selection.chosen.size > 0 && (
        <BulkBar {...selection} of={props.bulk.of} list={data} onClose={() => selection.onKeep([])} />
      )}
      <Outlet />
    </>
  );
}
