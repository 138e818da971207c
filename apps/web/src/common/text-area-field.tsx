import { Textarea } from '@mantine/core';
import type { FieldValues } from 'react-hook-form';
import { type Bound, labels, useField } from './fields.tsx';

/** A field for several lines of text. */
export function TextAreaField<V extends FieldValues, O>(
  props: Bound<V, O> & { rows?: number; placeholder?: string; autoFocus?: boolean },
) {
  const field = useField(props);
  const { rows = 2, placeholder, autoFocus } = props;
  return (
    <Textarea
      {...labels(props)}
      {...field}
      {...{ rows, placeholder }}
      data-autofocus={autoFocus || undefined}
      value={field.value ?? ''}
    />
  );
}
