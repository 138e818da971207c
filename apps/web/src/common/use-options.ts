import type { Named } from '@propusk/contract/fields';
import { listPolicies } from '@propusk/contract/policies';
import { listProxies, type Proxy } from '@propusk/contract/proxies';
import { companyUsers } from '@propusk/contract/users';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../api/queries.ts';

import { userLabel } from './names.ts';
import type { Option } from './select-fields.tsx';

// Until a list is here, a select offers what the form holds already: a chosen entity must never show as its id.

// A list that does not load says so in a toast: an empty select alone would look as if there were nothing.
const meta = { toast: true };

/** The company's policies, to choose from. */
export function usePolicyOptions(held: readonly Named[]): Option[] {
  const { data } = useQuery({ ...queryOptions(listPolicies, {}), meta });
  return namedOptions(data?.rows ?? held);
}

/** Entities that are known by their names, to choose from. */
export function namedOptions(entities: readonly Named[]): Option[] {
  return entities.map(({ id, name }) => ({ value: id, label: name }));
}

/** The company's people, to choose from. */
export function useUserOptions(held: readonly Named[]): Option[] {
  const { data } = useQuery({ ...queryOptions(companyUsers, {}), meta });
  if (data) return data.rows.map((user) => ({ value: user.id, label: userLabel(user) }));
  return namedOptions(held);
}

/** What a choice of a proxy needs to know about it. */
export type ProxyChoice = Pick<Proxy, 'id' | 'host' | 'direct' | 'settings'>;

/** All proxies that the company may use. */
export function useProxies(held: readonly ProxyChoice[]): readonly ProxyChoice[] {
  return useQuery({ ...queryOptions(listProxies, {}), meta }).data?.rows ?? held;
}
