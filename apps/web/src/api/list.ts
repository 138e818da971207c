import type { Access, Endpoint, Input } from '@propusk/contract/endpoint';
import type { ListQuery } from '@propusk/contract/fields';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { networkError } from './api-error.ts';
import { send } from './call.ts';

/** A page of rows, and the count of all that match. */
export interface List<Row> {
  rows: Row[];
  count: number;
}

/** A call that answers a list; one of them (`GET /company`) answers an array. */
export type ListEndpoint<Row> = Endpoint<
  Access,
  undefined,
  z.ZodMiniType<ListQuery, Input<typeof ListQuery>>,
  undefined,
  z.ZodMiniType<List<Row>> | z.ZodMiniType<Row[]>
>;

/** A list of the contract as TanStack Query takes it. */
export function listOptions<Row>(endpoint: ListEndpoint<Row>, query: Input<ListEndpoint<Row>['query']>) {
  return queryOptions({
    queryKey: [endpoint.path, { query }] as const,
    queryFn: async ({ signal }) => {
      const { reply, headers } = await send(endpoint, { query }, signal);
      return asList(reply as List<Row> | Row[], headers);
    },
  });
}

/**
 * A list, whichever way it came: an array has the count of all that match in a header beside it.
 * @throws ApiError when something on the way took the header away: without it the pages would end too early
 */
export function asList<Row>(reply: List<Row> | Row[], headers: Headers): List<Row> {
  if (!Array.isArray(reply)) return reply;
  const total = headers.get('x-total-count');
  if (total === null) throw networkError();
  return { rows: reply, count: Number(total) };
}
