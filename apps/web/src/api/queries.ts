import type { Endpoint } from '@propusk/contract/endpoint';
import { queryOptions as tanstackQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { type CallInput, call, type Reply } from './call.ts';

/** A GET of the contract as TanStack Query takes it. Its key is the call itself, and what it was asked. */
export function queryOptions<E extends Endpoint>(endpoint: E, input: CallInput<E>) {
  return tanstackQueryOptions({
    queryKey: [endpoint.path, input] as const,
    // A query may not answer undefined, and a call that is read always has a reply.
    queryFn: ({ signal }) => call(endpoint, input, signal) as Promise<NonNullable<Reply<E>>>,
  });
}

/**
 * A call that changes something. Entities name each other (a policy's name stands in the rows of sites and users), so
 * every list is stale after any of them; those on screen are read again before the promise settles, so that a dialog
 * closes over a list that is already right.
 */
export function useCall<E extends Endpoint>(endpoint: E) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: CallInput<E>) => call(endpoint, input),
    onSuccess: () => client.invalidateQueries(),
  });
}
