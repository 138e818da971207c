import {
  createPolicy,
  getPolicy,
  type Policy,
  PolicyChange,
  PolicyInput,
  updatePolicy,
} from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { useCall } from '../../api/queries.ts';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { proxyName } from '../../common/names.ts';
import {
  type InlineCreate,
  MultiSelectField,
  type Option,
  SelectField,
} from '../../common/select-fields.tsx';
import { TextAreaField } from '../../common/text-area-field.tsx';
import { useSiteCreate } from '../../common/use-inline-create.ts';
import {
  gatewayOf,
  type ProxyChoice,
  useProxies,
  useSiteOptions,
  useUserOptions,
} from '../../common/use-options.ts';
import { useUserCreate } from '../../common/use-user-create.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Form values of a policy, new or edited. */
interface PolicyValues extends FieldValues {
  name?: string | undefined;
  description?: string | undefined;
  proxyId?: number | undefined;
  allSites?: boolean | undefined;
  users?: number[] | undefined;
  sites?: number[] | undefined;
}

function PolicyFields<V extends PolicyValues, O>(props: {
  control: Control<V, unknown, O>;
  proxies: readonly ProxyChoice[];
  users: readonly Option[];
  sites: readonly Option[];
  createUser: InlineCreate;
}) {
  const { control, proxies } = props;
  // The cast: the constraint of V guarantees these fields, but TypeScript cannot derive it for FieldPath.
  const field = (name: keyof PolicyValues & string) => name as FieldPath<V>;
  const proxyId = useWatch({ control, name: field('proxyId') });
  const createSite = useSiteCreate();
  const chosen = proxies.find((proxy) => proxy.id === proxyId);
  return (
    <>
      <TextField control={control} name={field('name')} label={t.policies.name} required autoFocus />
      <TextAreaField
        control={control}
        name={field('description')}
        label={t.policies.description}
        description={t.policies.descriptionHint}
      />
      <SelectField
        control={control}
        name={field('proxyId')}
        label={t.policies.proxy}
        description={chosen?.direct ? t.policies.gatewayHint : t.policies.proxyHint}
        placeholder={t.form.choose.proxy}
        options={proxies.map((proxy) => ({ value: proxy.id, label: proxyName(proxy) }))}
        required
      />
      {chosen?.settings.allSites && (
        <CheckboxField control={control} name={field('allSites')} label={t.policies.allSites} />
      )}
      <MultiSelectField
        control={control}
        name={field('users')}
        label={t.policies.users}
        description={t.policies.usersHint}
        placeholder={t.form.choose.person}
        options={props.users}
        create={props.createUser}
      />
      <MultiSelectField
        control={control}
        name={field('sites')}
        label={t.policies.sites}
        description={t.policies.sitesHint}
        placeholder={t.form.choose.site}
        options={props.sites}
        create={createSite}
      />
    </>
  );
}

/**
 * The fields and options that the dialogs for new and stored policies share, and the dialog that creates a user.
 * @param linked the policy's proxy, users and sites, which are options even before the lists have loaded
 */
function usePolicyForm(linked: Pick<Policy, 'proxy' | 'users' | 'sites'>) {
  const proxies = useProxies(linked.proxy);
  const users = useUserOptions(linked.users);
  const sites = useSiteOptions(linked.sites);
  const person = useUserCreate();
  const fields = <V extends PolicyValues, O>(control: Control<V, unknown, O>) => (
    <PolicyFields
      control={control}
      proxies={proxies}
      users={users}
      sites={sites}
      createUser={person.create}
    />
  );
  return { proxies, fields, personDialog: person.dialog, covered: person.isOpen };
}

/** Sets `allSites` to false when the chosen proxy may not open all sites. */
function withAllowedAllSites<Body extends { proxyId?: number | undefined; allSites?: boolean | undefined }>(
  body: Body,
  proxies: readonly ProxyChoice[],
): Body {
  const allowed = proxies.some((proxy) => proxy.id === body.proxyId && proxy.settings.allSites);
  return { ...body, allSites: allowed && body.allSites === true };
}

/** Adds a policy. Its proxy is the platform's gateway unless the user picks another one. */
export function CreatePolicyDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createPolicy);
  const { proxies, fields, personDialog, covered } = usePolicyForm({ proxy: [], users: [], sites: [] });
  return (
    <>
      <FormDialog
        covered={covered}
        title={t.policies.create}
        schema={PolicyInput}
        initial={{
          name: '',
          description: '',
          proxyId: gatewayOf(proxies)?.id,
          allSites: false,
          users: [],
          sites: [],
        }}
        submit={async (body, signal) => {
          const policy = await create.mutateAsync({ body: withAllowedAllSites(body, proxies), signal });
          toastSuccess(t.alerts.created, policy.name);
        }}
        onClose={onClose}
      >
        {fields}
      </FormDialog>
      {personDialog}
    </>
  );
}

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
