import { clean, type Named } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { listPolicies } from '@propusk/contract/policies';
import {
  createSite,
  createSites,
  getSite,
  listSites,
  type Site,
  SiteChange,
  updateSite,
} from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { queryOptions, useCall } from '../../api/queries.ts';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { TextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { MultiSelectField } from '../../forms/select-fields.tsx';
import { TextAreaField } from '../../forms/text-area-field.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { toastSuccess } from '../../ui/toast.ts';
import { PoliciesField } from '../policy/policies-field.tsx';
import { useGateway, usePolicyOptions, useUserOptions } from '../use-options.ts';
import { useMe } from '../user/me.tsx';
import { confirmLetters } from './confirm-letters.ts';
import { namingFields, readSites } from './read-sites.ts';
import { splitAddress } from './start-path.ts';

/** Form values of a site, new or edited. */
interface SiteValues extends FieldValues {
  address?: string | undefined;
}

/** The form values of a stored site. */
const siteValues = ({ address, politics }: Site) => ({
  address: unicodeHost(address),
  politics: politics.map(({ id }) => id),
});

/** The option for a policy that the save creates. Ids of policies are positive, and users are options with negative ids. */
const NEW_POLICY = Number.MAX_SAFE_INTEGER;

/** The form of new sites. The server checks each address. `openTo` holds policies and users, as the options of `Audience`. */
const NewSites = z.object({
  address: z.string().check(z.trim(), z.minLength(1), clean),
  openTo: z.array(z.int()),
});
type NewSites = z.output<typeof NewSites>;

/** The address field of a site. With `list`, it takes a list of addresses. */
function AddressField<V extends SiteValues, O>(props: { control: Control<V, unknown, O>; list?: boolean }) {
  // The cast: the constraint of V guarantees this field, but TypeScript cannot derive it for FieldPath.
  const name = 'address' as FieldPath<V>;
  const typed = useWatch({ control: props.control, name }) ?? '';
  const sites = props.list ? readSites(typed).length : 1;
  const split = splitAddress(typed);
  const single = split ? t.siteForm.pathHint(split.host, split.path) : t.siteForm.addressHint;
  const address = {
    control: props.control,
    name,
    label: t.sites.address,
    placeholder: 'crm.company.ru',
    required: true,
    autoFocus: true,
  };
  if (!props.list) return <TextField {...address} description={single} inputMode="url" />;
  return (
    <TextAreaField
      {...address}
      description={sites > 1 ? t.siteForm.listHint(sites) : single}
      rows={1}
      tidy={(text) => readSites(text).join('\n')}
      line
    />
  );
}

/**
 * The field for the policies and users who may open new sites. For the chosen users, and for a typed name, the save creates a
 * policy.
 * @param props.typed the typed name of the new policy; empty if none was typed
 */
function Audience(props: {
  control: Control<NewSites, unknown, NewSites>;
  held: readonly Named[];
  typed: string;
  onTyped: (name: string) => void;
}) {
  const { control, typed } = props;
  const people = useUserOptions([]).map(({ value, label }) => ({ value: -value, label }));
  const [address, openTo] = useWatch({ control, name: ['address', 'openTo'] });
  const isNamed = openTo.includes(NEW_POLICY);
  const run = async (name: string) => {
    props.onTyped(name);
    return NEW_POLICY;
  };
  return (
    <MultiSelectField
      control={control}
      name="openTo"
      label={t.siteForm.openTo}
      description={
        openTo.some((one) => one < 0)
          ? t.siteForm.openToPeople(isNamed ? typed : policyName(readSites(address)))
          : t.siteForm.openToHint
      }
      placeholder={t.form.choose.audience}
      options={[
        ...(isNamed ? [{ value: NEW_POLICY, label: typed }] : []),
        ...usePolicyOptions(props.held),
        ...people,
      ]}
      create={isNamed ? undefined : { label: t.policies.createNamed, run }}
    />
  );
}

/** The name of the policy that the save creates for sites: the host of the first address, and the number of the others. */
function policyName([first = '', ...others]: readonly string[]): string {
  const host = first.replace(/^\w+:\/\//, '').replace(/[/?#].*$/, '');
  return t.siteForm.policyName(unicodeHost(host), others.length).slice(0, limits.name);
}

/**
 * Adds a site, or a pasted list of sites, together with a policy for the chosen users. With `address`, the form starts with this
 * address and `policies`, and can be sent unchanged.
 * @param props.onCreated shows the new site instead of closing the dialog; not called for a list
 */
export function CreateSiteDialog(props: {
  address?: string;
  policies?: readonly Named[];
  onCreated?: (site: Site) => Promise<void>;
  onClose: OnClose;
}) {
  const { address, policies: held = [] } = props;
  const me = useMe();
  const gateway = useGateway();
  const create = useCall(createSite);
  const createList = useCall(createSites);
  const [name, setName] = useState('');
  const { data: policies } = useQuery(queryOptions(listPolicies, {}));
  // The first site of a company without policies is open to the owner.
  const first = address === undefined && policies?.count === 0 ? [-me.id] : [];

  async function submit({ address: typed, openTo }: NewSites, signal: AbortSignal) {
    const addresses = readSites(typed);
    if (!(await confirmLetters(...addresses))) return false;
    const users = openTo.filter((one) => one < 0).map((one) => -one);
    const politics = openTo.filter((one) => one > 0 && one !== NEW_POLICY);
    const isNamed = openTo.includes(NEW_POLICY);
    const newPolicy =
      isNamed || users.length > 0
        ? { name: isNamed ? name : policyName(addresses), proxyId: await gateway(), users }
        : undefined;
    if (addresses.length > 1) {
      const others = addresses.slice(1).map((line) => ({ address: line, politics }));
      const body = [{ address: addresses[0] ?? '', politics, newPolicy }, ...others];
      const { count } = await createList.mutateAsync({ body, signal });
      return toastSuccess(t.alerts.created, t.siteForm.added(count));
    }
    const body = { address: addresses[0] ?? typed, politics, newPolicy };
    const site = await create.mutateAsync({ body, signal });
    toastSuccess(t.alerts.created, unicodeHost(site.address));
    if (props.onCreated === undefined) return undefined;
    await props.onCreated(site);
    return 'stay';
  }
  return (
    <FormDialog
      title={t.sites.create}
      schema={NewSites}
      initial={{ address: address ?? '', openTo: held.length > 0 ? held.map(({ id }) => id) : first }}
      question={address !== undefined}
      submit={(values, signal) =>
        submit(values, signal).catch((error) => {
          throw namingFields(error, readSites(values.address));
        })
      }
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <AddressField control={control} list />
          <Audience control={control} held={held} typed={name} onTyped={setName} />
        </>
      )}
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
      {(control, site) => (
        <>
          <AddressField control={control} />
          <PoliciesField control={control} held={site.politics} description={t.siteForm.policiesHint} />
        </>
      )}
    </EditDialog>
  );
}
