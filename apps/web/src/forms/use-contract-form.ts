import { faultOf } from '@propusk/phrases/field-fault';
import { schemaFaults } from '@propusk/phrases/fields';
import { render } from '@propusk/phrases/phrase';
import { type DefaultValues, type FieldErrors, get, set } from 'react-hook-form';
import type * as z from 'zod/mini';
import {
  type ContractForm,
  type ContractResolver,
  type FormSchema,
  useResolverForm,
} from './contract-form.ts';
import { useUnsaved } from './unsaved.ts';

/**
 * A resolver that validates by a contract schema. A field shows its first fault. It replaces @hookform/resolvers, which adds
 * 1 KB gzip to every page for other versions of zod.
 */
export function contractResolver<S extends FormSchema>(schema: S): ContractResolver<S> {
  return (values) => {
    const result = schema.safeParse(values, { error: (issue) => render(schemaFaults, faultOf(issue)) });
    if (result.success) return { values: result.data, errors: {} };
    const errors: FieldErrors<z.input<S>> = {};
    for (const { path, code, message } of result.error.issues) {
      const name = path.join('.');
      if (get(errors, name) === undefined) set(errors, name, { type: code, message });
    }
    return { values: {}, errors };
  };
}

/** A form over a schema. Back, Reload and the end of the session do not discard changed input without a question. */
export function useContractForm<S extends FormSchema>(
  schema: S,
  initial: DefaultValues<z.input<S>>,
): ContractForm<S> {
  const form = useResolverForm(contractResolver(schema), initial);
  useUnsaved(form.formState.isDirty);
  return form;
}
