import { getPolicy, type Policy, PolicyChange, updatePolicy } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { usePolicyForm, withAllowedAllSites } from './policy-fields.tsx';

/** Edits a policy, its users and its sites. */
export function EditPolicyDialog({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const { proxies, fields, personDialog, covered } = usePolicyForm(policy);
  return (
    <>
      <EditDialog
        covered={covered}
        title={t.policies.edit}
        entity={policy}
        values={({ name, description, proxy, allSites, users: people, sites: opened }: Policy) => ({
          name,
          description,
          proxyId: proxy[0]?.id,
          allSites,
          users: people.map(({ id }) => id),
          sites: opened.map(({ id }) => id),
        })}
        schema={PolicyChange}
        read={getPolicy}
        update={updatePolicy}
        prepare={(body) => withAllowedAllSites(body, proxies)}
        name={({ name }) => name}
        onClose={onClose}
      >
        {fields}
      </EditDialog>
      {personDialog}
    </>
  );
}
