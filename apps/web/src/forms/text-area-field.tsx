import { Textarea } from '@mantine/core';
import { useRef } from 'react';
import type { FieldValues } from 'react-hook-form';
import { type Bound, labels, useField } from './fields.tsx';

/**
 * A field for several lines of text.
 * @param props.tidy rewrites the text on blur; a field with `tidy` grows with its text
 * @param props.line whether Enter submits the form while the text has one line
 */
export function TextAreaField<V extends FieldValues, O>(
  props: Bound<V, O> & {
    rows?: number;
    placeholder?: string;
    autoFocus?: boolean;
    tidy?: (text: string) => string;
    line?: boolean;
  },
) {
  const field = useField(props);
  const { rows = 2, placeholder, autoFocus, tidy } = props;
  // Ignores the first blur of an unchanged field that the dialog focused: a user who moves on must not see an error here.
  const given = useRef(autoFocus);
  return (
    <Textarea
      {...labels(props)}
      {...field}
      {...(tidy ? { autosize: true, minRows: rows, spellCheck: false } : { rows })}
      placeholder={placeholder}
      styles={{ error: { whiteSpace: 'pre-line' } }}
      onBlur={() => {
        if (given.current) return void (given.current = false);
        if (tidy) field.onChange(tidy(field.value ?? ''));
        field.onBlur();
      }}
      onChange={(event) => {
        given.current = false;
        field.onChange(event);
      }}
      onKeyDown={(event) => {
        const { value, form } = event.currentTarget;
        if (!props.line || event.key !== 'Enter' || event.shiftKey || value.includes('\n')) return;
        event.preventDefault();
        form?.querySelector<HTMLElement>('[type="submit"]')?.click();
      }}
      data-autofocus={autoFocus || undefined}
      value={field.value ?? ''}
    />
  );
}
