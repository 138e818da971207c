import { createSite, SiteInput } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { usePolicyOptions } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { newSite, SiteFields } from './site-fields.tsx';

/** Adds a site. */
export function CreateSiteDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createSite);
  const policies = usePolicyOptions([]);
  return (
    <FormDialog
      title={t.sites.create}
      schema={SiteInput}
      initial={newSite}
      submit={async (body) => {
        const site = await create.mutateAsync({ body });
        toastSuccess(t.alerts.created, unicodeHost(site.address));
      }}
      onClose={onClose}
    >
      {(control) => <SiteFields control={control} policies={policies} />}
    </FormDialog>
  );
}
