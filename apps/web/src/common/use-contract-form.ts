import { zodResolver } from '@hookform/resolvers/zod';
import { faultOf } from '@propusk/phrases/field-fault';
import { fieldFaults } from '@propusk/phrases/fields';
import { render } from '@propusk/phrases/phrase';
import type { DefaultValues, FieldValues } from 'react-hook-form';
import type * as z from 'zod/mini';
import {
  type ContractForm,
  type ContractResolver,
  type FormSchema,
  useResolverForm,
} from './contract-form.ts';
import { useUnsaved } from './unsaved.ts';

/** A resolver that validates by a contract schema. */
export function contractResolver<S extends FormSchema>(schema: S): ContractResolver<S> {
  return zodResolver<FieldValues, unknown, FieldValues, S>(schema, {
    error: (issue) => render(fieldFaults, faultOf(issue)),
  });
}

/** A form over a schema. Its changed input is not lost without a question by Back, Reload or the end of the session. */
export function useContractForm<S extends FormSchema>(
  schema: S,
  initial: DefaultValues<z.input<S>>,
): ContractForm<S> {
  const form = useResolverForm(contractResolver(schema), initial);
  useUnsaved(form.formState.isDirty);
  return form;
}
