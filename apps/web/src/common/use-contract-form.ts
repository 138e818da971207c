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

/** A resolver that validates by a contract schema. */
export function contractResolver<S extends FormSchema>(schema: S): ContractResolver<S> {
  return zodResolver<FieldValues, unknown, FieldValues, S>(schema, {
    error: (issue) => render(fieldFaults, faultOf(issue)),
  });
}

/** Opens a form over a schema. */
export function useContractForm<S extends FormSchema>(
  schema: S,
  initial: DefaultValues<z.input<S>>,
): ContractForm<S> {
  return useResolverForm(contractResolver(schema), initial);
}
