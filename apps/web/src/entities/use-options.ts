import type { Named } from '@propusk/contract/fields';
import { listPolicies } from '@propusk/contract/policies';
import { listProxies, type Proxy } from '@propusk/contract/proxies';
import { listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { companyUsers } from '@propusk/contract/users';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { List, ListEndpoint } from '../api/list.ts';
import { queryOptions } from '../api/queries.ts';
import type { Option } from '../forms/select-fields.tsx';
import { userLabel } from './user/names.ts';

// Until a list has loaded, its select offers the entities that the form already holds, so that it shows names, not ids.

// A toast reports a list that failed to load. Without the toast, an empty select would mean that no entity exists.
const meta = { toast: true };

/** The company's policies as options of a select. `held` are the policies that the form already holds. */
export function usePolicyOptions(held: readonly Named[]): Option[] {
  const { data } = useQuery({ ...queryOptions(listPolicies, {}), meta });
  return namedOptions(data?.rows ?? held);
}

/** Entities with names as options of a select. */
export function namedOptions(entities: readonly Named[]): Option[] {
  return entities.map(({ id, name }) => ({ value: id, label: name }));
}

/** The company's users as options of a select. `held` are the users that the form already holds. */
export function useUserOptions(held: readonly Named[]): Option[] {
  const { data } = useQuery({ ...queryOptions(companyUsers, {}), meta });
  if (data) return data.rows.map((user) => ({ value: user.id, label: userLabel(user) }));
  return namedOptions(held);
}

/** The company's sites as options of a select. `held` are the sites that the form already holds. */
export function useSiteOptions(held: readonly Named[]): Option[] {
  const { data } = useQuery({ ...queryOptions(listSites, {}), meta });
  if (data) return data.rows.map(({ id, address }) => ({ value: id, label: unicodeHost(address) }));
  return namedOptions(held);
}

/** The fields of a proxy that a select needs. */
export type ProxyChoice = Pick<Proxy, 'id' | 'host' | 'direct' | 'settings'>;

/** All proxies that the company may use. */
export function useProxies(held: readonly ProxyChoice[]): readonly ProxyChoice[] {
  return useQuery({ ...queryOptions(listProxies, {}), meta }).data?.rows ?? held;
}

/** The platform's gateway, which every company has in its list of proxies. */
export function gatewayOf<P extends { direct: boolean }>(proxies: readonly P[]): P | undefined {
  return proxies.find(({ direct }) => direct);
}

/** Returns a function that finds the id of the platform's gateway. A new policy uses it if the user chooses no proxy. */
export function useGateway(): () => Promise<number> {
  const client = useQueryClient();
  return async () => {
    const { rows } = await client.ensureQueryData(queryOptions(listProxies, {}));
    return (gatewayOf(rows) ?? rows[0])?.id ?? 0;
  };
}

/** Returns a function that adds a created row to the options of a select, which show its name before the list reloads. */
export function useAddOption<Row>(list: ListEndpoint<Row>): (row: Row) => void {
  const client = useQueryClient();
  return (row) =>
    client.setQueryData<List<Row>>(
      [list.path, {}],
      (old) => old && { rows: [...old.rows, row], count: old.count + 1 },
    );
}
