import { TextInput } from '@mantine/core';
import type { FieldValues } from 'react-hook-form';
import { type Bound, labels, useField } from './fields.tsx';

/** A field for a whole number. An empty field gives undefined. */
export function NumberField<V extends FieldValues, O>(props: Bound<V, O> & { placeholder: string }) {
  const { value, onChange, ...field } = useField(props);
  return (
    <TextInput
      {...labels(props)}
      {...field}
      inputMode="numeric"
      autoComplete="off"
      placeholder={props.placeholder}
      value={value ?? ''}
      onChange={({ currentTarget }) => {
        const text = currentTarget.value.trim();
        // A text that is no number stays text, which the schema refuses.
        onChange(text === '' ? undefined : /^\d{1,6}$/.test(text) ? Number(text) : text);
      }}
    />
  );
}
