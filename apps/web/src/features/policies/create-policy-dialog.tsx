import { createPolicy, PolicyInput } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { gatewayOf } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { usePolicyForm, withAllowedAllSites } from './policy-fields.tsx';

/** Adds a policy. The platform's gateway is chosen beforehand. */
export function CreatePolicyDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createPolicy);
  const { proxies, fields, personDialog, covered } = usePolicyForm({ proxy: [], users: [], sites: [] });
  return (
    <>
      <FormDialog
        covered={covered}
        title={t.policies.create}
        schema={PolicyInput}
        initial={{
          name: '',
          description: '',
          proxyId: gatewayOf(proxies)?.id,
          allSites: false,
          users: [],
          sites: [],
        }}
        submit={async (body) => {
          const policy = await create.mutateAsync({ body: withAllowedAllSites(body, proxies) });
          toastSuccess(t.alerts.created, policy.name);
        }}
        onClose={onClose}
      >
        {fields}
      </FormDialog>
      {personDialog}
    </>
  );
}
