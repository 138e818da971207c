import { createPolicy, deletePolicy, listPolicies } from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import { createSite, deleteSite, listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useQueryClient } from '@tanstack/react-query';
import { queryOptions, useCall } from '../api/queries.ts';
import { useNoteCreated } from '../forms/created-inside.ts';
import type { InlineCreate } from '../forms/select-fields.tsx';
import { toastSuccess } from '../ui/toast.ts';
import { confirmLetters } from './site/confirm-letters.ts';
import { splitAddress } from './site/start-path.ts';
import { gatewayOf, useAddOption } from './use-options.ts';

/**
 * Creates a policy with a typed name and the platform's gateway, without users and sites. The policy is deleted when the dialog
 * around the field closes without a save.
 */
export function usePolicyCreate(): InlineCreate {
  const client = useQueryClient();
  const create = useCall(createPolicy);
  const remove = useCall(deletePolicy);
  const note = useNoteCreated();
  const add = useAddOption(listPolicies);
  return {
    label: t.policies.createNamed,
    run: async (name) => {
      const { rows } = await client.ensureQueryData(queryOptions(listProxies, {}));
      const proxy = gatewayOf(rows) ?? rows[0];
      const policy = await create.mutateAsync({ body: { name, proxyId: proxy?.id ?? 0 } });
      add(policy);
      note(() => remove.mutateAsync({ params: { id: policy.id }, version: policy.version }));
      toastSuccess(t.alerts.created, policy.name);
      return policy.id;
    },
  };
}

/** Creates a site with a typed address and without policies. It is deleted when the dialog around the field closes without a save. */
export function useSiteCreate(): InlineCreate {
  const create = useCall(createSite);
  const remove = useCall(deleteSite);
  const note = useNoteCreated();
  const add = useAddOption(listSites);
  return {
    label: (typed) => {
      const split = splitAddress(typed);
      return split ? t.sites.createWithPath(split.host, split.path) : t.sites.createNamed(typed);
    },
    run: async (address) => {
      if (!(await confirmLetters(address))) return null;
      const site = await create.mutateAsync({ body: { address } });
      add(site);
      note(() => remove.mutateAsync({ params: { id: site.id }, version: site.version }));
      toastSuccess(t.alerts.created, unicodeHost(site.address));
      return site.id;
    },
  };
}
