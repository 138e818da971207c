import type { Access, Endpoint } from '@propusk/contract/endpoint';
import type { IdParams } from '@propusk/contract/fields';
import { type UseQueryOptions, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type * as z from 'zod/mini';
import type { List } from '../api/list.ts';
import { queryOptions } from '../api/queries.ts';

/** A call that reads one entity by its id. */
export type Read<E> = Endpoint<Access, typeof IdParams, undefined, undefined, z.ZodMiniType<E>>;

/**
 * Reads the entity of a dialog. If a loaded list has the entity as a row, returns the row at once, and reads it again.
 * @param list the call whose rows are such entities
 * @param given the entity's id; by default the id in the path of the open page
 */
export function useEntity<E extends { id: number; version: number }>(
  read: Read<E>,
  list: { path: string },
  given?: number,
) {
  const client = useQueryClient();
  const { id } = useParams({ strict: false });
  const params = { id: given ?? Number(id) };
  const rows = client
    .getQueriesData<List<E>>({ queryKey: [list.path] })
    .flatMap(([, data]) => data?.rows.find((one) => one.id === params.id) ?? []);
  const [row] = rows.toSorted((one, other) => other.version - one.version);
  // The cast: TypeScript checks the type of the reply where the hook is used, since here the entity is generic.
  const options = queryOptions(read as Endpoint, { params }) as unknown as UseQueryOptions<E>;
  // An entity that is read again in the background at once: the row may belong to a list that is out of date.
  const query = useQuery({ ...options, initialData: row, initialDataUpdatedAt: 0 });
  const isOlder = row !== undefined && query.data !== undefined && query.data.version < row.version;
  return isOlder ? ({ ...query, data: row } as UseQueryResult<E>) : query;
}
