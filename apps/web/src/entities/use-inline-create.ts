import type { Access, Endpoint } from '@propusk/contract/endpoint';
import type { IdParams } from '@propusk/contract/fields';
import { createPolicy, deletePolicy, listPolicies } from '@propusk/contract/policies';
import { createSite, deleteSite, listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useContext } from 'react';
import type { ListEndpoint } from '../api/list.ts';
import { useCall } from '../api/queries.ts';
import { CreatedInside } from '../forms/form-dialog.tsx';
import type { InlineCreate } from '../forms/select-fields.tsx';
import { toastSuccess } from '../ui/toast.ts';
import { confirmLetters } from './site/confirm-letters.ts';
import { splitAddress } from './site/start-path.ts';
import { useAddOption, useGateway } from './use-options.ts';

/**
 * Returns a function that takes an entity created by a field, and returns its id. The entity becomes an option of the field. It is
 * deleted when the dialog around the field closes without a save.
 */
function useCreated<Row extends { id: number; version: number }>(
  list: ListEndpoint<Row>,
  removal: Endpoint<Access, typeof IdParams, undefined, undefined, undefined>,
) {
  const remove = useCall(removal);
  const undos = useContext(CreatedInside);
  const add = useAddOption(list);
  return (row: Row, name: string) => {
    add(row);
    undos?.current.push(() => remove.mutateAsync({ params: { id: row.id }, version: row.version }));
    toastSuccess(t.alerts.created, name);
    return row.id;
  };
}

/** Creates a policy with a typed name and the platform's gateway, without users and sites. */
export function usePolicyCreate(): InlineCreate {
  const create = useCall(createPolicy);
  const created = useCreated(listPolicies, deletePolicy);
  const gateway = useGateway();
  return {
    label: t.policies.createNamed,
    run: async (name) => {
      const policy = await create.mutateAsync({ body: { name, proxyId: await gateway() } });
      return created(policy, policy.name);
    },
  };
}

/** Creates a site with a typed address and without policies. */
export function useSiteCreate(): InlineCreate {
  const create = useCall(createSite);
  const created = useCreated(listSites, deleteSite);
  return {
    label: (typed) => {
      const split = splitAddress(typed);
      return split ? t.siteForm.createWithPath(split.host, split.path) : t.siteForm.createNamed(typed);
    },
    run: async (address) => {
      if (!(await confirmLetters(address))) return null;
      const site = await create.mutateAsync({ body: { address } });
      return created(site, unicodeHost(site.address));
    },
  };
}
