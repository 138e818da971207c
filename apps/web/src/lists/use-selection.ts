import type { Access, Endpoint } from '@propusk/contract/endpoint';
import type { IdList } from '@propusk/contract/list-filters';
import { useState } from 'react';
import type * as z from 'zod/mini';
import { call } from '../api/call.ts';
import type { List } from '../api/list.ts';
import { toastFailure } from '../ui/toast.ts';

/** A call that replies with the ids of all rows that match the filters of a list. */
export type IdsEndpoint = Endpoint<
  Access,
  undefined,
  z.ZodMiniType<{ name?: string | undefined }, { name?: string | undefined }>,
  undefined,
  typeof IdList
>;

const NONE: ReadonlySet<number> = new Set();

/**
 * The selected rows of a list, over all pages. A changed filter or search ends the selection.
 * @param query the filters and the search of the list
 * @param list the current page
 */
export function useSelection<Row extends { id: number }>(
  endpoint: IdsEndpoint | undefined,
  query: { name?: string | undefined },
  list: List<Row> | undefined,
) {
  const key = JSON.stringify(query);
  const [state, setState] = useState({ key, chosen: NONE, isAll: false });
  const { chosen, isAll } = state.key === key ? state : { chosen: NONE, isAll: false };
  const set = (ids: Iterable<number>) => {
    const next = { key, chosen: new Set(ids), isAll: false };
    setState(next);
    return next;
  };
  const onPageOnly = () => set(list?.rows.map(({ id }) => id) ?? []);

  /** Selects the rows of the page at once, and the rows of the other pages when their ids have loaded. */
  async function selectAll() {
    const begun = onPageOnly();
    if (endpoint === undefined || begun.chosen.size === list?.count) return;
    try {
      const { ids } = await call(endpoint, { query });
      setState((now) => (now === begun ? { key, chosen: new Set(ids), isAll: true } : now));
    } catch (error) {
      toastFailure((error as Error).message);
    }
  }

  function onChoose(rows: readonly Row[], isChosen: boolean) {
    const ids = new Set(chosen);
    for (const { id } of rows) ids[isChosen ? 'add' : 'delete'](id);
    set(ids);
  }

  return {
    ...{ chosen, isAll, onChoose, onPageOnly, onKeep: set },
    ...{ onAll: () => void selectAll(), onClear: () => set([]) },
  };
}
