import type { Access, Endpoint } from '@propusk/contract/endpoint';
import { useState } from 'react';
import type * as z from 'zod/mini';
import { call } from '../api/call.ts';
import { messageOf } from '../forms/use-attempt.ts';
import { toastFailure } from '../ui/toast.ts';

/** A call that returns the ids of all rows that match the filters and the search of a list. */
export type IdsEndpoint = Endpoint<
  Access,
  undefined,
  z.ZodMiniType<object, { name?: string | undefined }>,
  undefined,
  z.ZodMiniType<{ ids: number[] }>
>;

const NONE = { key: '', chosen: new Set<number>() as ReadonlySet<number>, isLoading: false };

/**
 * The selected rows of a list, over all pages. Changed filters or a changed search end the selection.
 * @param query the filters and the search of the list
 * @returns `onKeep` selects the given rows and, with `isAll`, then those of all other pages, whose ids are loading
 */
export function useSelection(idsOf: IdsEndpoint | undefined, query: { name?: string | undefined }) {
  const key = JSON.stringify(query);
  const [state, setState] = useState(NONE);
  const { chosen, isLoading } = state.key === key ? state : NONE;
  function onKeep(ids: Iterable<number>, isAll = false) {
    const kept = { key, chosen: new Set(ids), isLoading: isAll };
    setState(kept);
    if (!isAll || !idsOf) return;
    // Does nothing if the user has changed the selection meanwhile.
    const settle = (all: Iterable<number>) =>
      setState((now) => (now === kept ? { key, chosen: new Set(all), isLoading: false } : now));
    call(idsOf, { query }).then(
      (reply) => settle(reply.ids),
      (error) => {
        toastFailure(messageOf(error));
        settle(kept.chosen);
      },
    );
  }
  return { chosen, isLoading, onKeep };
}
