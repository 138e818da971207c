import * as t from '@propusk/phrases/console';
import type { Control, FieldPath, FieldValues } from 'react-hook-form';
import { MultiSelectField } from './select-fields.tsx';
import { usePolicyCreate } from './use-inline-create.ts';
import { usePolicyOptions } from './use-options.ts';

/** The policies of a new user: the field `politics` of a form. A missing policy is created by its name. */
export function PoliciesField<V extends FieldValues, O>({ control }: { control: Control<V, unknown, O> }) {
  return (
    <MultiSelectField
      control={control}
      name={'politics' as FieldPath<V>}
      label={t.users.policies}
      placeholder={t.form.choose.policy}
      options={usePolicyOptions([])}
      create={usePolicyCreate()}
    />
  );
}
