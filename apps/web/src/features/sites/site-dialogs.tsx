import type { Named } from '@propusk/contract/fields';
import { createSite, getSite, type Site, SiteChange, SiteInput, updateSite } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { useCall } from '../../api/queries.ts';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { MultiSelectField, type Option } from '../../common/select-fields.tsx';
import { splitAddress } from '../../common/start-path.ts';
import { usePolicyCreate } from '../../common/use-inline-create.ts';
import { usePolicyOptions } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Form values of a site, new or edited. */
interface SiteValues extends FieldValues {
  address?: string | undefined;
  politics?: number[] | undefined;
}

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
  const split = splitAddress(useWatch({ control: props.control, name: field('address') }) ?? '');
  return (
    <>
      <TextField
        control={props.control}
        name={field('address')}
        label={t.sites.address}
        description={split ? t.sites.pathHint(split.host, split.path) : t.sites.addressHint}
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

/** Adds a site. An `address` fills the form with it and with `policies`; the form can then be sent unchanged. */
export function CreateSiteDialog(props: {
  address?: string;
  policies?: readonly Named[];
  onClose: () => void;
}) {
  const { address, policies: held = [] } = props;
  const create = useCall(createSite);
  const policies = usePolicyOptions(held);
  return (
    <FormDialog
      title={t.sites.create}
      schema={SiteInput}
      initial={{ address: address ?? '', politics: held.map(({ id }) => id) }}
      question={address !== undefined}
      submit={async (body, signal) => {
        const site = await create.mutateAsync({ body, signal });
        toastSuccess(t.alerts.created, unicodeHost(site.address));
      }}
      onClose={props.onClose}
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
