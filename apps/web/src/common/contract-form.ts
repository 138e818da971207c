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

/** A schema of an object, the contract's or one made of its fields. */
export type FormSchema = z.ZodMiniType<FieldValues, FieldValues>;

/** A form over a schema: it holds what the schema takes, and hands out what the schema gives. */
export type ContractForm<S extends FormSchema> = UseFormReturn<z.input<S>, unknown, z.output<S>>;

/** What judges by a schema. */
export type ContractResolver<S extends FormSchema> = Resolver<z.input<S>, unknown, z.output<S>>;

/** Opens a form that says what is wrong, in Russian, once a field was touched. */
export function useResolverForm<S extends FormSchema>(
  resolver: ContractResolver<S>,
  initial: DefaultValues<z.input<S>>,
): ContractForm<S> {
  return useForm<z.input<S>, unknown, z.output<S>>({ resolver, mode: 'onTouched', defaultValues: initial });
}

/**
 * Puts newer values under a form that somebody is filling in: what they have typed stays, the rest becomes what it is
 * now. Lists are kept or taken whole: two of them mixed would be nobody's.
 */
export function refill<S extends FormSchema>(form: ContractForm<S>, fresh: DefaultValues<z.input<S>>): void {
  type Field = Parameters<typeof form.setValue>[0];
  const before: FieldValues = form.formState.defaultValues ?? {};
  const now: FieldValues = form.getValues();
  const typed = Object.keys(now).filter((key) => JSON.stringify(now[key]) !== JSON.stringify(before[key]));
  form.reset(fresh);
  for (const key of typed) {
    form.setValue(key as Field, now[key], { shouldDirty: true, shouldTouch: true, shouldValidate: true });
  }
}

/**
 * Puts what the server said under the fields that it named.
 * @returns the sentence for the form's alert
 */
export function showFailure<S extends FormSchema>(form: ContractForm<S>, error: unknown): string {
  if (!(error instanceof ApiError)) return t.failures.unexpected;
  const values: FieldValues = form.getValues();
  const elsewhere: string[] = [];
  for (const [path, message] of Object.entries(error.fields)) {
    const field = path.split('.')[0] ?? path;
    // The schema's keys are the form's fields; the type cannot say so of a string that came over the wire.
    if (field in values) form.setError(field as Parameters<typeof form.setError>[0], { message });
    else elsewhere.push(message);
  }
  return [error.message, ...elsewhere].join('. ');
}
