import { type Endpoint, isIdempotent } from '@propusk/contract/endpoint';
import { queryOptions as tanstackQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { type CallInput, call, type Reply } from './call.ts';

/** TanStack Query options for a GET or a preview of the contract. The key is the path and its input. */
export function queryOptions<E extends Endpoint>(endpoint: E, input: CallInput<E>) {
  return tanstackQueryOptions({
    queryKey: [endpoint.path, input] as const,
    // The cast: TanStack Query rejects undefined data, and all these calls have a reply body.
    queryFn: ({ signal }) => call(endpoint, input, signal) as Promise<NonNullable<Reply<E>>>,
  });
}

/**
 * A mutation. Rows contain the names of other entities (the row of a site has the names of its policies), so a mutation
 * makes every list stale, also when it failed but may have changed rows. The promise settles with the reply and does not
 * wait for lists. The input's `signal` aborts the call.
 */
export function useCall<E extends Endpoint>(endpoint: E) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ signal, ...rest }: CallInput<E> & { signal?: AbortSignal | undefined }) => {
      // The cast: the rest of the input is the input without `signal`, which TypeScript cannot derive for a generic type.
      const input = rest as unknown as CallInput<E>;
      return isIdempotent(endpoint) ? create(endpoint, input, signal) : call(endpoint, input, signal);
    },
    onSettled: (_, error) => {
      if (!error || isStale(error)) void client.invalidateQueries();
    },
  });
}

/** Whether the lists may be out of date after a failure: an aborted call, a call without a reply, a changed version. */
function isStale(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.code === 'changed_meanwhile';
}

/** The create calls whose outcome is unknown: the last body that each call sent, and its idempotency key. */
const unanswered = new Map<string, { sent: string; key: string }>();

/**
 * Makes a call that creates an entity. Until a reply arrives, a repeated call with the same body gets the same idempotency
 * key, because the server may have created the entity although the reply was lost.
 */
async function create<E extends Endpoint>(endpoint: E, input: CallInput<E>, signal?: AbortSignal) {
  const sent = JSON.stringify(input);
  const last = unanswered.get(endpoint.path);
  const key = last?.sent === sent ? last.key : randomKey();
  unanswered.set(endpoint.path, { sent, key });
  try {
    const reply = await call(endpoint, { ...input, key }, signal);
    unanswered.delete(endpoint.path);
    return reply;
  } catch (error) {
    // A refused call created nothing, and its body may contain a password: delete the body.
    if (error instanceof ApiError && error.status >= 400 && error.status < 500)
      unanswered.delete(endpoint.path);
    throw error;
  }
}

/** 128 random bits. Browsers offer `crypto.randomUUID` only on https origins. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
