import { createSite, getSite, type Site, SiteChange, SiteInput, updateSite } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { useCall } from '../../api/queries.ts';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { MultiSelectField, type Option } from '../../common/select-fields.tsx';
import { usePolicyCreate } from '../../common/use-inline-create.ts';
import { usePolicyOptions } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Form values of a site, new or edited. */
interface SiteValues extends FieldValues {
  address?: string | undefined;
  politics?: number[] | undefined;
}

/** The initial form values of a new site. */
const newSite: SiteInput = { address: '', politics: [] };

/** The form values of a stored site. */
const siteValues = ({ address, politics }: Site) => ({
  address: unicodeHost(address),
  politics: politics.map(({ id }) => id),
});

function SiteFields<V extends SiteValues, O>(props: {
  control: Control<V, unknown, O>;
  policies: readonly Option[];
}) {
  const createPolicy = usePolicyCreate();
  // The cast: the constraint of V guarantees these fields, but TypeScript cannot derive it for FieldPath.
  const field = (name: keyof SiteValues & string) => name as FieldPath<V>;
  return (
    <>
      <TextField
        control={props.control}
        name={field('address')}
        label={t.sites.address}
        description={t.sites.addressHint}
        placeholder="crm.company.ru"
        inputMode="url"
        required
        autoFocus
      />
      <MultiSelectField
        control={props.control}
        name={field('politics')}
        label={t.sites.policies}
        description={t.sites.policiesHint}
        placeholder={t.form.choose.policy}
        options={props.policies}
        create={createPolicy}
      />
    </>
  );
}

/** Adds a site. */
export function CreateSiteDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createSite);
  const policies = usePolicyOptions([]);
  return (
    <FormDialog
      title={t.sites.create}
      schema={SiteInput}
      initial={newSite}
      submit={async (body, signal) => {
        const site = await create.mutateAsync({ body, signal });
        toastSuccess(t.alerts.created, unicodeHost(site.address));
      }}
      onClose={onClose}
    >
      {(control) => <SiteFields control={control} policies={policies} />}
    </FormDialog>
  );
}

/** Edits a site's address and the policies that give access to it. */
export function EditSiteDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const policies = usePolicyOptions(site.politics);
  return (
    <EditDialog
      title={t.sites.edit}
      entity={site}
      values={siteValues}
      schema={SiteChange}
      read={getSite}
      update={updateSite}
      name={({ address }) => unicodeHost(address)}
      onClose={onClose}
    >
      {(control) => <SiteFields control={control} policies={policies} />}
    </EditDialog>
  );
}
