import * as t from '@propusk/phrases/console';
import {
  type DefaultValues,
  type FieldValues,
  type Resolver,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import type * as z from 'zod/mini';
import { ApiError } from '../api/api-error.ts';

/** The schema of a form: an object schema of the contract, or one built from the contract's fields. */
export type FormSchema = z.ZodMiniType<FieldValues, FieldValues>;

/** A form over a schema: its fields are the schema's input, its result is the schema's output. */
export type ContractForm<S extends FormSchema> = UseFormReturn<z.input<S>, unknown, z.output<S>>;

/** A resolver that validates by a schema. */
export type ContractResolver<S extends FormSchema> = Resolver<z.input<S>, unknown, z.output<S>>;

/** A form that shows a field's error after the user has left the field. */
export function useResolverForm<S extends FormSchema>(
  resolver: ContractResolver<S>,
  initial: DefaultValues<z.input<S>>,
): ContractForm<S> {
  return useForm<z.input<S>, unknown, z.output<S>>({ resolver, mode: 'onTouched', defaultValues: initial });
}

/**
 * Loads newer stored values into an open form. Fields that the user edited keep their input. A list is kept or
 * replaced as a whole: two users' edits of one list are not merged.
 */
export function refill<S extends FormSchema>(form: ContractForm<S>, fresh: DefaultValues<z.input<S>>): void {
  type Field = Parameters<typeof form.setValue>[0];
  const before: FieldValues = form.formState.defaultValues ?? {};
  const now: FieldValues = form.getValues();
  // A nested field that is mounted before its value has loaded replaces undefined by an empty object: count both as equal.
  const text = (value: unknown) => JSON.stringify(value ?? {});
  const typed = Object.keys(now).filter((key) => text(now[key]) !== text(before[key]));
  form.reset(fresh);
  for (const key of typed) {
    form.setValue(key as Field, now[key], { shouldDirty: true, shouldTouch: true, shouldValidate: true });
  }
}

/**
 * Shows the server's field errors under their fields.
 * @returns the sentence for the form's alert
 */
export function showFailure<S extends FormSchema>(form: ContractForm<S>, error: unknown): string {
  if (!(error instanceof ApiError)) return t.failures.unexpected;
  const values: FieldValues = form.getValues();
  const elsewhere: string[] = [];
  for (const [path, message] of Object.entries(error.fields)) {
    const field = path.split('.')[0] ?? path;
    // The server names the field, so `in` checks that the form has this field before the cast.
    if (field in values) form.setError(field as Parameters<typeof form.setError>[0], { message });
    else elsewhere.push(message);
  }
  return [error.message, ...elsewhere].join('. ');
}
