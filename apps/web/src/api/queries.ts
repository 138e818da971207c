import { type Endpoint, isIdempotent } from '@propusk/contract/endpoint';
import { queryOptions as tanstackQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
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
 * A key for a create: the same while the same is sent again (the answer may have been lost on the way, the row not), a
 * new one once it was answered or something else is sent.
 */
function useKey(): (input: unknown) => string {
  const last = useRef({ sent: '', key: '' });
  return (input) => {
    const sent = JSON.stringify(input);
    if (last.current.sent !== sent) last.current = { sent, key: randomKey() };
    return last.current.key;
  };
}

/** 128 random bits. (`crypto.randomUUID` is not there on a console without https.) */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
