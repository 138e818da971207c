import { PasswordInput, TextInput, type TextInputProps } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useRef } from 'react';
import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';

/** Props of every field: the form's control, the field's name, its label. */
export interface Bound<V extends FieldValues, O> {
  control: Control<V, unknown, O>;
  name: FieldPath<V>;
  label: string;
  description?: string;
  required?: boolean;
}

/** A field's value, handlers and error text. */
export function useField<V extends FieldValues, O>({ control, name }: Pick<Bound<V, O>, 'control' | 'name'>) {
  const { field, fieldState } = useController({ control, name });
  return { ...field, error: fieldState.error?.message };
}

/** A field's label and description. */
export function labels<V extends FieldValues, O>(props: Bound<V, O>) {
  return {
    label: props.label,
    description: props.description,
    // Only the asterisk: the `required` attribute would make the browser show its own messages.
    withAsterisk: props.required,
    'aria-required': props.required,
  };
}

type TextFieldProps = Pick<
  TextInputProps,
  'type' | 'autoComplete' | 'placeholder' | 'inputMode' | 'readOnly'
> & { autoFocus?: boolean; blank?: boolean };

/** The field `email` of a form. */
export function EmailField<V extends FieldValues, O>(props: Omit<Bound<V, O>, 'name'> & TextFieldProps) {
  const name = 'email' as FieldPath<V>;
  return <TextField type="email" placeholder="name@company.ru" {...props} name={name} />;
}

/** A field for one line of text. With `blank`, an empty field gives undefined. */
export function TextField<V extends FieldValues, O>(props: Bound<V, O> & TextFieldProps) {
  const field = useField(props);
  const { type, autoComplete = 'off', placeholder, inputMode, readOnly } = props;
  // The dialog itself put the focus here: a user who first goes to another field has not left this one empty.
  const given = useRef(props.autoFocus);
  return (
    <TextInput
      {...labels(props)}
      {...field}
      onBlur={() => {
        if (!given.current) field.onBlur();
        given.current = false;
      }}
      {...{ type, autoComplete, placeholder, inputMode, readOnly }}
      data-autofocus={props.autoFocus || undefined}
      value={field.value ?? ''}
      onChange={(event) => {
        given.current = false;
        field.onChange(props.blank && event.currentTarget.value === '' ? undefined : event);
      }}
    />
  );
}

/** A password field. With `blank`, an empty field gives undefined. */
export function PasswordField<V extends FieldValues, O>(
  props: Bound<V, O> & {
    autoComplete: 'current-password' | 'new-password';
    blank?: boolean;
    autoFocus?: boolean;
    hidesError?: boolean;
  },
) {
  const bound = useField(props);
  const field = { ...bound, error: props.hidesError ? undefined : bound.error };
  return (
    <PasswordInput
      {...labels(props)}
      {...field}
      aria-invalid={field.error !== undefined || undefined}
      autoComplete={props.autoComplete}
      visibilityToggleButtonProps={{ 'aria-label': t.form.showPassword(props.label) }}
      data-autofocus={props.autoFocus || undefined}
      value={field.value ?? ''}
      onChange={(event) => {
        const { value } = event.currentTarget;
        field.onChange(props.blank && value === '' ? undefined : value);
      }}
    />
  );
}
