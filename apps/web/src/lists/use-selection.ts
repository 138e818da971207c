import { useState } from 'react';

const NONE = { key: '', chosen: new Set<number>() as ReadonlySet<number>, isAll: false };

/**
 * The selected rows of a list, over all pages. Changed filters or a changed search end the selection.
 * @param key the filters and the search of the list, as a text
 * @returns `isAll`: all rows of the list are selected; until the bar has fetched their ids, `chosen` holds those of one page
 */
export function useSelection(key: string) {
  const [state, setState] = useState(NONE);
  const { chosen, isAll } = state.key === key ? state : NONE;
  const onKeep = (ids: Iterable<number>, isAll = false) => setState({ key, chosen: new Set(ids), isAll });
  return { chosen, isAll, onKeep };
}
