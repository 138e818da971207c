import { type Policy, PolicyChange, updatePolicy } from '@propusk/contract/policies';
import { useCall } from '../../api/queries.ts';
import { changes } from '../../common/changes.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { useProxies, useUserOptions } from '../../common/use-options.ts';
import { t } from '../../dictionary/dictionary.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { PolicyFields, withAllowedAllSites } from './policy-fields.tsx';

/** Changes a policy, and who it holds. */
export function EditPolicyDialog({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const update = useCall(updatePolicy);
  const proxies = useProxies(policy.proxy);
  const users = useUserOptions(policy.users);
  const initial = {
    name: policy.name,
    description: policy.description,
    proxyId: policy.proxy[0]?.id,
    allSites: policy.allSites,
    users: policy.users.map(({ id }) => id),
  };
  return (
    <FormDialog
      title={t.policies.edit}
      schema={PolicyChange}
      initial={initial}
      submit={async (body) => {
        const changed = changes(initial, withAllowedAllSites(body, proxies));
        await update.mutateAsync({ params: { id: policy.id }, body: changed });
        toastSuccess(t.alerts.updated, body.name);
      }}
      onClose={onClose}
    >
      {(control) => <PolicyFields control={control} proxies={proxies} users={users} />}
    </FormDialog>
  );
}
