import { Textarea, type TextareaProps } from '@mantine/core';
import type { FieldValues } from 'react-hook-form';
import { type Bound, labels, useField } from './fields.tsx';

/** A multi-line text field. */
export function TextAreaField<V extends FieldValues, O>(props: Bound<V, O> & Pick<TextareaProps, 'rows'>) {
  const field = useField(props);
  return <Textarea {...labels(props)} {...field} rows={props.rows ?? 2} value={field.value ?? ''} />;
}
