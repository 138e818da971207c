import { Textarea } from '@mantine/core';
import type { FieldValues } from 'react-hook-form';
import { type Bound, labels, useField } from './fields.tsx';

/**
 * A field for several lines of text.
 * @param props.tidy rewrites the text when the user leaves the field, which then also grows with its text
 */
export function TextAreaField<V extends FieldValues, O>(
  props: Bound<V, O> & {
    rows?: number;
    placeholder?: string;
    autoFocus?: boolean;
    tidy?: (text: string) => string;
  },
) {
  const field = useField(props);
  const { rows = 2, placeholder, autoFocus, tidy } = props;
  return (
    <Textarea
      {...labels(props)}
      {...field}
      {...(tidy ? { autosize: true, minRows: rows, spellCheck: false } : { rows })}
      placeholder={placeholder}
      styles={{ error: { whiteSpace: 'pre-line' } }}
      onBlur={() => {
        if (tidy) field.onChange(tidy(field.value ?? ''));
        field.onBlur();
      }}
      data-autofocus={autoFocus || undefined}
      value={field.value ?? ''}
    />
  );
}
