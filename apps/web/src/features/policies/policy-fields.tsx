import type { Policy } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { TextField } from '../../common/fields.tsx';
import { proxyName } from '../../common/names.ts';
import {
  type InlineCreate,
  MultiSelectField,
  type Option,
  SelectField,
} from '../../common/select-fields.tsx';
import { TextAreaField } from '../../common/text-area-field.tsx';
import { useSiteCreate } from '../../common/use-inline-create.ts';
import { type ProxyChoice, useProxies, useSiteOptions, useUserOptions } from '../../common/use-options.ts';
import { useUserCreate } from '../../common/use-user-create.tsx';

/** Form values of a policy, new or edited. */
interface PolicyValues extends FieldValues {
  name?: string | undefined;
  description?: string | undefined;
  proxyId?: number | undefined;
  allSites?: boolean | undefined;
  users?: number[] | undefined;
  sites?: number[] | undefined;
}

/** The fields of a policy. */
function PolicyFields<V extends PolicyValues, O>(props: {
  control: Control<V, unknown, O>;
  proxies: readonly ProxyChoice[];
  users: readonly Option[];
  sites: readonly Option[];
  createUser: InlineCreate;
}) {
  const { control, proxies } = props;
  // V has these fields by its constraint; FieldPath does not see it.
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
 * The part that both policy dialogs share: options, fields, and the dialog that creates a user from them.
 * @param linked the policy's own proxy and links, which are options even when the lists lack them
 */
export function usePolicyForm(linked: Pick<Policy, 'proxy' | 'users' | 'sites'>) {
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

/** Drops `allSites` when the chosen proxy does not allow it. */
export function withAllowedAllSites<
  Body extends { proxyId?: number | undefined; allSites?: boolean | undefined },
>(body: Body, proxies: readonly ProxyChoice[]): Body {
  const allowed = proxies.some((proxy) => proxy.id === body.proxyId && proxy.settings.allSites);
  return { ...body, allSites: allowed && body.allSites === true };
}
