import type { Site, SiteInput } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { TextField } from '../../common/fields.tsx';
import { MultiSelectField, type Option } from '../../common/select-fields.tsx';
import { usePolicyCreate } from '../../common/use-inline-create.ts';

/** Form values of a site, new or edited. */
interface SiteValues extends FieldValues {
  address?: string | undefined;
  politics?: number[] | undefined;
}

/** The form of a new site. */
export const newSite: SiteInput = { address: '', politics: [] };

/** The form of a stored site. */
export const siteValues = ({ address, politics }: Site) => ({
  address: unicodeHost(address),
  politics: politics.map(({ id }) => id),
});

/** The fields of a site. */
export function SiteFields<V extends SiteValues, O>(props: {
  control: Control<V, unknown, O>;
  policies: readonly Option[];
}) {
  const createPolicy = usePolicyCreate();
  // V has these fields by its constraint; FieldPath does not see it.
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
