import { clean, type Named } from '@propusk/contract/fields';
import {
  createSite,
  createSites,
  getSite,
  listSites,
  type Site,
  SiteChange,
  SiteInput,
  updateSite,
} from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { useCall } from '../../api/queries.ts';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { TextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { MultiSelectField } from '../../forms/select-fields.tsx';
import { TextAreaField } from '../../forms/text-area-field.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { usePolicyCreate } from '../use-inline-create.ts';
import { usePolicyOptions } from '../use-options.ts';
import { confirmLetters } from './confirm-letters.ts';
import { namingLines, readSites } from './read-sites.ts';
import { splitAddress } from './start-path.ts';

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

/** The form of new sites. The server checks each address. */
const NewSites = z.extend(SiteInput, { address: z.string().check(z.trim(), z.minLength(1), clean) });

function SiteFields<V extends SiteValues, O>(props: {
  control: Control<V, unknown, O>;
  /** The policies that the form already holds. */
  held: readonly Named[];
  /** Whether the address field takes a list of addresses. */
  list?: boolean;
}) {
  const createPolicy = usePolicyCreate();
  const policies = usePolicyOptions(props.held);
  // The cast: the constraint of V guarantees these fields, but TypeScript cannot derive it for FieldPath.
  const field = (name: keyof SiteValues & string) => name as FieldPath<V>;
  const typed = useWatch({ control: props.control, name: field('address') }) ?? '';
  const sites = props.list ? readSites(typed).length : 1;
  const split = splitAddress(typed);
  const single = split ? t.sites.pathHint(split.host, split.path) : t.sites.addressHint;
  const address = {
    control: props.control,
    name: field('address'),
    label: t.sites.address,
    placeholder: 'crm.company.ru',
    required: true,
    autoFocus: true,
  };
  return (
    <>
      {props.list ? (
        <TextAreaField
          {...address}
          description={sites > 1 ? t.sites.listHint(sites) : single}
          rows={1}
          tidy={(text) => readSites(text).join('\n')}
          line
        />
      ) : (
        <TextField {...address} description={single} inputMode="url" />
      )}
      <MultiSelectField
        control={props.control}
        name={field('politics')}
        label={t.sites.policies}
        description={t.sites.policiesHint}
        placeholder={t.form.choose.policy}
        options={policies}
        create={createPolicy}
      />
    </>
  );
}

/**
 * Adds a site, or a pasted list of sites. With `address`, the form starts with this address and `policies`, and can be sent
 * unchanged.
 */
export function CreateSiteDialog(props: { address?: string; policies?: readonly Named[]; onClose: OnClose }) {
  const { address, policies: held = [] } = props;
  const create = useCall(createSite);
  const createList = useCall(createSites);
  return (
    <FormDialog
      title={t.sites.create}
      schema={NewSites}
      initial={{ address: address ?? '', politics: held.map(({ id }) => id) }}
      question={address !== undefined}
      submit={async ({ address: typed, politics }, signal) => {
        const addresses = readSites(typed);
        if (!(await confirmLetters(...addresses))) return false;
        if (addresses.length > 1) {
          const body = addresses.map((line) => ({ address: line, politics }));
          const { count } = await createList.mutateAsync({ body, signal }).catch((error) => {
            throw namingLines(error, addresses);
          });
          return toastSuccess(t.alerts.created, t.sites.added(count));
        }
        const site = await create.mutateAsync({ body: { address: addresses[0] ?? typed, politics }, signal });
        return toastSuccess(t.alerts.created, unicodeHost(site.address));
      }}
      onClose={props.onClose}
    >
      {(control) => <SiteFields control={control} held={held} list />}
    </FormDialog>
  );
}

/** Edits a site's address and the policies that give access to it. */
export function EditSiteDialog({ onClose }: { onClose: OnClose }) {
  return (
    <EditDialog
      title={t.sites.edit}
      query={useEntity(getSite, listSites)}
      values={siteValues}
      schema={SiteChange}
      update={updateSite}
      name={({ address }) => unicodeHost(address)}
      mayProceed={async ({ address = '' }, site) =>
        address === unicodeHost(site.address) || confirmLetters(address)
      }
      onClose={onClose}
    >
      {(control, site) => <SiteFields control={control} held={site.politics} />}
    </EditDialog>
  );
}
