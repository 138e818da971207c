import { createPolicy, PolicyInput } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { useProxies, useUserOptions } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { PolicyFields, withAllowedAllSites } from './policy-fields.tsx';

/** Adds a policy. */
export function CreatePolicyDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createPolicy);
  const proxies = useProxies([]);
  const users = useUserOptions([]);
  return (
    <FormDialog
      title={t.policies.create}
      schema={PolicyInput}
      initial={{ name: '', description: '', allSites: false, users: [] }}
      submit={async (body) => {
        const policy = await create.mutateAsync({ body: withAllowedAllSites(body, proxies) });
        toastSuccess(t.alerts.created, policy.name);
      }}
      onClose={onClose}
    >
      {(control) => <PolicyFields control={control} proxies={proxies} users={users} />}
    </FormDialog>
  );
}
