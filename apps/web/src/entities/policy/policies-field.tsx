import type { Named } from '@propusk/contract/fields';
import * as t from '@propusk/phrases/console';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { MultiSelectField } from '../../forms/select-fields.tsx';
import { usePolicyCreate } from '../use-inline-create.ts';
import { usePolicyOptions } from '../use-options.ts';

/**
 * The policies of a user or site: the field `politics` of a form. The user of the form can also create a policy by typing its name.
 * @param props.held the policies that the form already holds
 */
export function PoliciesField<V extends FieldValues, O>(props: {
  control: Control<V, unknown, O>;
  held?: readonly Named[];
  description?: string;
}) {
  return (
    <MultiSelectField
      control={props.control}
      name={'politics' as FieldPath<V>}
      label={t.users.policies}
      description={props.description}
      placeholder={t.form.choose.policy}
      options={usePolicyOptions(props.held ?? [])}
      create={usePolicyCreate()}
    />
  );
}
