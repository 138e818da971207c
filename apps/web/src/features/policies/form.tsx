import {
  createPolicy,
  getPolicy,
  listPolicies,
  type Policy,
  PolicyChange,
  PolicyInput,
  updatePolicy,
} from '@propusk/contract/policies';
import { listProxies } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { queryOptions, useCall } from '../../api/queries.ts';
import { EndsField, endsOfChosen } from '../../entities/policy/moment-fields.tsx';
import { instantOf, ownZone, shownDay } from '../../entities/policy/moments.ts';
import { useSiteCreate } from '../../entities/use-inline-create.ts';
import {
  gatewayOf,
  type ProxyChoice,
  useProxies,
  useSiteOptions,
  useUserOptions,
} from '../../entities/use-options.ts';
import { usePermissions } from '../../entities/user/me.tsx';
import { proxyName } from '../../entities/user/names.ts';
import { useUserCreate } from '../../entities/user/use-user-create.tsx';
import { CheckboxField } from '../../forms/checkbox-field.tsx';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { TextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { type InlineCreate, MultiSelectField, SelectField } from '../../forms/select-fields.tsx';
import { TextAreaField } from '../../forms/text-area-field.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { confirm } from '../../ui/confirm.ts';
import { isDay } from '../../ui/day.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { TimesFields, type TimesValues, timesOf } from './times-fields.tsx';

/** Form values of a policy, new or edited. */
interface PolicyValues extends TimesValues, FieldValues {
  name?: string | undefined;
  description?: string | undefined;
  proxyId?: number | undefined;
  allSites?: boolean | undefined;
  users?: number[] | undefined;
  sites?: number[] | undefined;
}

/** The policy's stored proxy, users and sites. The selects offer them before their lists have loaded. */
type Linked = Pick<Policy, 'proxy' | 'users' | 'sites'>;

function PolicyFields<V extends PolicyValues, O>(props: {
  control: Control<V, unknown, O>;
  stored?: Policy;
  createUser: InlineCreate;
}) {
  const { control, stored } = props;
  const linked: Linked = stored ?? none;
  const users = useUserOptions(linked.users);
  const proxies = useProxies(linked.proxy);
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
        options={users}
        create={props.createUser}
      />
      {stored && (
        <EndsField
          control={control}
          of="users"
          options={users}
          members={stored.users}
          zoneOf={() => stored.timeZone}
        />
      )}
      <MultiSelectField
        control={control}
        name={field('sites')}
        label={t.policies.sites}
        description={t.policies.sitesHint}
        placeholder={t.form.choose.site}
        options={useSiteOptions(linked.sites)}
        create={createSite}
      />
      <TimesFields control={control} stored={stored} />
    </>
  );
}

/** Sets `allSites` to false when the chosen proxy may not open all sites. */
function withAllowedAllSites<Body extends { proxyId?: number | undefined; allSites?: boolean | undefined }>(
  body: Body,
  proxies: readonly ProxyChoice[],
): Body {
  const allowed = proxies.some((proxy) => proxy.id === body.proxyId && proxy.settings.allSites);
  return { ...body, allSites: allowed && body.allSites === true };
}

const none: Linked = { proxy: [], users: [], sites: [] };

/** Asks for confirmation before saving a policy that would never be open: its end is in the past or not after its start. */
async function mayBeClosed({ validFrom, validUntil }: TimesValues, zone: string): Promise<boolean> {
  const end = validUntil ? instantOf(validUntil, zone) : Number.POSITIVE_INFINITY;
  const begin = validFrom ? instantOf(validFrom, zone, false) : Number.NEGATIVE_INFINITY;
  if (end > Math.max(begin, Date.now())) return true;
  const { neverQuestion: text, neverHint: hint, back: no } = t.times;
  return confirm({ text, hint, yes: t.common.save, no });
}

/** After a change of the time zone, the start and end days of the policy are days of the new zone. */
function inZone(body: PolicyChange, { timeZone, zone }: Policy): PolicyChange {
  if (body.zone === (zone ?? '')) return body;
  const dayOr = (moment = '', isEnd = true) => {
    const day = shownDay(moment, timeZone, isEnd);
    return isDay(day) && instantOf(day, timeZone, isEnd) === instantOf(moment, timeZone, isEnd)
      ? day
      : moment;
  };
  return { ...body, validFrom: dayOr(body.validFrom, false), validUntil: dayOr(body.validUntil) };
}

/** Adds a policy. Its proxy is the platform's gateway unless the user picks another one. */
export function CreatePolicyDialog(props: { onClose: OnClose }) {
  return usePermissions()(createPolicy) && <NewPolicy {...props} />;
}

function NewPolicy({ onClose }: { onClose: OnClose }) {
  const create = useCall(createPolicy);
  const proxies = useProxies([]);
  const person = useUserCreate();
  return (
    <>
      <FormDialog
        covered={person.isOpen}
        title={t.policies.create}
        schema={PolicyInput}
        initial={{
          name: '',
          description: '',
          proxyId: gatewayOf(proxies)?.id,
          allSites: false,
          users: [],
          sites: [],
          ...timesOf(),
        }}
        submit={async (body, signal) => {
          if (!(await mayBeClosed(body, body.zone || ownZone))) return false;
          const policy = await create.mutateAsync({ body: withAllowedAllSites(body, proxies), signal });
          return toastSuccess(t.alerts.created, policy.name);
        }}
        onClose={onClose}
      >
        {(control) => <PolicyFields control={control} createUser={person.create} />}
      </FormDialog>
      {person.dialog}
    </>
  );
}

/** Edits a policy, its users and its sites. */
export function EditPolicyDialog(props: { onClose: OnClose }) {
  return usePermissions()(updatePolicy) && <StoredPolicy {...props} />;
}

function StoredPolicy({ onClose }: { onClose: OnClose }) {
  const proxies = useQuery(queryOptions(listProxies, {})).data?.rows;
  const person = useUserCreate();
  return (
    <>
      <EditDialog
        covered={person.isOpen}
        title={t.policies.edit}
        query={useEntity(getPolicy, listPolicies)}
        values={(policy: Policy) => ({
          name: policy.name,
          description: policy.description,
          proxyId: policy.proxy[0]?.id,
          allSites: policy.allSites,
          users: policy.users.map(({ id }) => id),
          sites: policy.sites.map(({ id }) => id),
          ...timesOf(policy),
          ends: [],
        })}
        schema={PolicyChange}
        update={updatePolicy}
        normalise={(body, policy) => ({
          ...withAllowedAllSites(inZone(body, policy), proxies ?? policy.proxy),
          ends: endsOfChosen(body.ends, body.users),
        })}
        mayProceed={async (body, policy) => {
          const { validFrom, validUntil } = timesOf(policy);
          const isKept = body.validFrom === validFrom && body.validUntil === validUntil;
          return isKept || mayBeClosed(body, body.zone || policy.timeZone);
        }}
        name={({ name }) => name}
        onClose={onClose}
      >
        {(control, policy) => <PolicyFields control={control} stored={policy} createUser={person.create} />}
      </EditDialog>
      {person.dialog}
    </>
  );
}
