import * as t from '@propusk/phrases/console';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { TextField } from '../../common/fields.tsx';
import { proxyName } from '../../common/names.ts';
import { MultiSelectField, type Option, SelectField } from '../../common/select-fields.tsx';
import { TextAreaField } from '../../common/text-area-field.tsx';
import { useSiteCreate } from '../../common/use-inline-create.ts';
import type { ProxyChoice } from '../../common/use-options.ts';

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
export function PolicyFields<V extends PolicyValues, O>(props: {
  control: Control<V, unknown, O>;
  proxies: readonly ProxyChoice[];
  users: readonly Option[];
  sites: readonly Option[];
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
        options={props.users}
      />
      <MultiSelectField
        control={control}
        name={field('sites')}
        label={t.policies.sites}
        description={t.policies.sitesHint}
        options={props.sites}
        create={createSite}
      />
    </>
  );
}

/** Drops `allSites` when the chosen proxy does not allow it. */
export function withAllowedAllSites<
  Body extends { proxyId?: number | undefined; allSites?: boolean | undefined },
>(body: Body, proxies: readonly ProxyChoice[]): Body {
  const allowed = proxies.some((proxy) => proxy.id === body.proxyId && proxy.settings.allSites);
  return { ...body, allSites: allowed && body.allSites === true };
}
