import type { Access, Endpoint, Input } from '@propusk/contract/endpoint';
import type { ListQuery } from '@propusk/contract/fields';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod/mini';
import { networkError } from './api-error.ts';
import { send } from './call.ts';

/** One page of rows, and the count of all matching rows. */
export interface List<Row> {
  rows: Row[];
  count: number;
}

/** An endpoint that replies with a list. `GET /company` replies with an array. */
export type ListEndpoint<Row> = Endpoint<
  Access,
  undefined,
  z.ZodMiniType<ListQuery, Input<typeof ListQuery>>,
  undefined,
  z.ZodMiniType<List<Row>> | z.ZodMiniType<Row[]>
>;

/** TanStack Query options for a list of the contract. */
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
 * Reads the reply of a list call: an object with rows and the total count, or an array, whose total count is in a header.
 * @throws ApiError when a proxy removed the header: without the total count the pager would show too few pages
 */
export function asList<Row>(reply: List<Row> | Row[], headers: Headers): List<Row> {
  if (!Array.isArray(reply)) return reply;
  const total = headers.get('x-total-count');
  if (total === null) throw networkError();
  return { rows: reply, count: Number(total) };
}
