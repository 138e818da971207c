import { PasswordInput, TextInput, type TextInputProps } from '@mantine/core';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';

/** What every field takes: the form, its place in it, and what it is called. */
export interface Bound<V extends FieldValues, O> {
  control: Control<V, unknown, O>;
  name: FieldPath<V>;
  label: string;
  description?: string;
  required?: boolean;
}

/** A field's value, handlers and sentence. */
export function useField<V extends FieldValues, O>({ control, name }: Bound<V, O>) {
  const { field, fieldState } = useController({ control, name });
  return { ...field, error: fieldState.error?.message };
}

/** A field's label and description. */
export function labels<V extends FieldValues, O>(props: Bound<V, O>) {
  return {
    label: props.label,
    description: props.description,
    // The mark is for eyes; `required` itself would bring the browser's own messages beside ours.
    withAsterisk: props.required,
    'aria-required': props.required,
  };
}

type TextFieldProps = Pick<TextInputProps, 'type' | 'autoComplete' | 'placeholder' | 'inputMode'>;

/** One line of text. */
export function TextField<V extends FieldValues, O>(
  props: Bound<V, O> & TextFieldProps & { autoFocus?: boolean },
) {
  const field = useField(props);
  const { type, autoComplete = 'off', placeholder, inputMode } = props;
  return (
    <TextInput
      {...labels(props)}
      {...field}
      {...{ type, autoComplete, placeholder, inputMode }}
      data-autofocus={props.autoFocus || undefined}
      value={field.value ?? ''}
    />
  );
}

/** A password. With `blank`, an empty field means 'not given' and not 'empty'. */
export function PasswordField<V extends FieldValues, O>(
  props: Bound<V, O> & { autoComplete: 'current-password' | 'new-password'; blank?: boolean },
) {
  const field = useField(props);
  return (
    <PasswordInput
      {...labels(props)}
      {...field}
      aria-invalid={field.error !== undefined || undefined}
      autoComplete={props.autoComplete}
      value={field.value ?? ''}
      onChange={(event) => {
        const { value } = event.currentTarget;
        field.onChange(props.blank && value === '' ? undefined : value);
      }}
    />
  );
}
