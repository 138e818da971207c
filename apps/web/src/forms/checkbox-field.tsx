import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Checkbox.css';
import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import type { Bound } from './fields.tsx';

/** A checkbox bound to a form. */
export function CheckboxField<V extends FieldValues, O>(
  props: Omit<Bound<V, O>, 'label'> & { label: ReactNode },
) {
  const { field, fieldState } = useController({ control: props.control, name: props.name });
  const { value, ...rest } = field;
  return (
    <Checkbox
      {...rest}
      label={props.label}
      description={props.description}
      checked={value === true}
      error={fieldState.error?.message}
    />
  );
}
