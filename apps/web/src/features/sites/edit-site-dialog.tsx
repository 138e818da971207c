import { type Site, SiteChange, updateSite } from '@propusk/contract/sites';
import { useCall } from '../../api/queries.ts';
import { changes } from '../../common/changes.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { unicodeHost } from '../../common/unicode-host.ts';
import { usePolicyOptions } from '../../common/use-options.ts';
import { t } from '../../dictionary/dictionary.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { SiteFields } from './site-fields.tsx';

/** Changes a site's address, and the policies that open it. */
export function EditSiteDialog({ site, onClose }: { site: Site; onClose: () => void }) {
  const update = useCall(updateSite);
  const policies = usePolicyOptions(site.politics);
  const initial = { address: unicodeHost(site.address), politics: site.politics.map(({ id }) => id) };
  return (
    <FormDialog
      title={t.sites.edit}
      schema={SiteChange}
      initial={initial}
      submit={async (body) => {
        const changed = await update.mutateAsync({ params: { id: site.id }, body: changes(initial, body) });
        toastSuccess(t.alerts.updated, unicodeHost(changed.address));
      }}
      onClose={onClose}
    >
      {(control) => <SiteFields control={control} policies={policies} />}
    </FormDialog>
  );
}
