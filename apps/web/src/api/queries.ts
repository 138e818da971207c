import { type Endpoint, isIdempotent } from '@propusk/contract/endpoint';
import { queryOptions as tanstackQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type CallInput, call, type Reply } from './call.ts';

/** TanStack Query options for a GET of the contract. The key is the path and its input. */
export function queryOptions<E extends Endpoint>(endpoint: E, input: CallInput<E>) {
  return tanstackQueryOptions({
    queryKey: [endpoint.path, input] as const,
    // TanStack Query rejects undefined; every GET of the contract has a reply.
    queryFn: ({ signal }) => call(endpoint, input, signal) as Promise<NonNullable<Reply<E>>>,
  });
}

/**
 * A mutation. Entities embed each other's names (a policy's name is part of site and user rows), so every list is
 * stale after any mutation. The visible lists are refetched before the promise settles: the dialog closes over a list
 * that is already current.
 */
export function useCall<E extends Endpoint>(endpoint: E) {
  const client = useQueryClient();
  const keyOf = useKey();
  return useMutation({
    mutationFn: async (input: CallInput<E>) => {
      if (!isIdempotent(endpoint)) return call(endpoint, input);
      const reply = await call(endpoint, { ...input, key: keyOf(input) });
      keyOf(null);
      return reply;
    },
    onSuccess: () => client.invalidateQueries(),
  });
}

/**
 * An idempotency key for a create. It stays the same while the same body is retried, since a lost reply may hide a
 * created row. It changes after a reply or with another body.
 */
function useKey(): (input: unknown) => string {
  const last = useRef({ sent: '', key: '' });
  return (input) => {
    const sent = JSON.stringify(input);
    if (last.current.sent !== sent) last.current = { sent, key: randomKey() };
    return last.current.key;
  };
}

/** 128 random bits. `crypto.randomUUID` does not exist on an origin without https. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
