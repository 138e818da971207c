import { getPolicy, type Policy, PolicyChange, updatePolicy } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { useProxies, useUserOptions } from '../../common/use-options.ts';
import { PolicyFields, withAllowedAllSites } from './policy-fields.tsx';

/** Edits a policy and its users. */
export function EditPolicyDialog({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const proxies = useProxies(policy.proxy);
  const users = useUserOptions(policy.users);
  return (
    <EditDialog
      title={t.policies.edit}
      entity={policy}
      values={({ name, description, proxy, allSites, users: held }: Policy) => ({
        name,
        description,
        proxyId: proxy[0]?.id,
        allSites,
        users: held.map(({ id }) => id),
      })}
      schema={PolicyChange}
      read={getPolicy}
      update={updatePolicy}
      prepare={(body) => withAllowedAllSites(body, proxies)}
      name={({ name }) => name}
      onClose={onClose}
    >
      {(control) => <PolicyFields control={control} proxies={proxies} users={users} />}
    </EditDialog>
  );
}
