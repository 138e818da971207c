import { createSite, SiteInput } from '@propusk/contract/sites';
import { useCall } from '../../api/queries.ts';
import { TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { MultiSelectField } from '../../common/select-fields.tsx';
import { unicodeHost } from '../../common/unicode-host.ts';
import { usePolicyOptions } from '../../common/use-options.ts';
import { t } from '../../dictionary/dictionary.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Adds a site. */
export function SiteDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createSite);
  const policies = usePolicyOptions([]);
  return (
    <FormDialog
      title={t.sites.create}
      schema={SiteInput}
      initial={{ address: '', politics: [] }}
      submit={async (body) => {
        const site = await create.mutateAsync({ body });
        toastSuccess(t.alerts.created, unicodeHost(site.address));
      }}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField
            control={control}
            name="address"
            label={t.sites.address}
            description={t.sites.addressHint}
            placeholder="crm.company.ru"
            inputMode="url"
            required
            autoFocus
          />
          <MultiSelectField
            control={control}
            name="politics"
            label={t.sites.policies}
            description={t.sites.policiesHint}
            options={policies}
          />
        </>
      )}
    </FormDialog>
  );
}
