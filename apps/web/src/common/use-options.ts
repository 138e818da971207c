import type { Named } from '@propusk/contract/fields';
import { listPolicies } from '@propusk/contract/policies';
import { listProxies, type Proxy } from '@propusk/contract/proxies';
import { listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { companyUsers } from '@propusk/contract/users';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../api/queries.ts';
import { userLabel } from './names.ts';
import type { Option } from './select-fields.tsx';

// Until the list has loaded, a select offers the form's current values: a chosen entity must never show as its id.

// A toast reports a list that failed to load: an empty select would look as if there were no entities.
const meta = { toast: true };

/** Options: the company's policies. */
export function usePolicyOptions(held: readonly Named[]): Option[] {
  const { data } = useQuery({ ...queryOptions(listPolicies, {}), meta });
  return namedOptions(data?.rows ?? held);
}

/** Options made of entities with names. */
export function namedOptions(entities: readonly Named[]): Option[] {
  return entities.map(({ id, name }) => ({ value: id, label: name }));
}

/** Options: the company's users. */
export function useUserOptions(held: readonly Named[]): Option[] {
  const { data } = useQuery({ ...queryOptions(companyUsers, {}), meta });
  if (data) return data.rows.map((user) => ({ value: user.id, label: userLabel(user) }));
  return namedOptions(held);
}

/** Options: the company's sites. */
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

/** The platform's gateway: the proxy that every company has from its first minute. */
export function gatewayOf<P extends { direct: boolean }>(proxies: readonly P[]): P | undefined {
  return proxies.find(({ direct }) => direct);
}
