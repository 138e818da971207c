import { getSite, type Site, SiteChange, updateSite } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { usePolicyOptions } from '../../common/use-options.ts';
import { SiteFields, siteValues } from './site-fields.tsx';

/** Changes a site's address, and the policies that open it. */
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
