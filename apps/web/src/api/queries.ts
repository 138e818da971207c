import { type Endpoint, isIdempotent } from '@propusk/contract/endpoint';
import { queryOptions as tanstackQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { type CallInput, call, type Reply } from './call.ts';

/** TanStack Query options for a GET of the contract. The key is the path and its input. */
export function queryOptions<E extends Endpoint>(endpoint: E, input: CallInput<E>) {
  return tanstackQueryOptions({
    queryKey: [endpoint.path, input] as const,
    // The cast: TanStack Query rejects undefined data, and every GET of the contract has a reply body.
    queryFn: ({ signal }) => call(endpoint, input, signal) as Promise<NonNullable<Reply<E>>>,
  });
}

/**
 * A mutation. Entities embed each other's names (a policy's name is part of site and user rows), so every list is
 * stale after any mutation. The promise settles after the visible lists were refetched, so that a closing dialog
 * reveals current rows.
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
 * Returns an idempotency key for a create. Retries of the same body get the same key, because a lost reply may hide a
 * created row. A reply or another body causes a new key.
 */
function useKey(): (input: unknown) => string {
  const last = useRef({ sent: '', key: '' });
  return (input) => {
    const sent = JSON.stringify(input);
    if (last.current.sent !== sent) last.current = { sent, key: randomKey() };
    return last.current.key;
  };
}

/** 128 random bits. Browsers offer `crypto.randomUUID` only on https origins. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
