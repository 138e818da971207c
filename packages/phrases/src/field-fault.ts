import type { IssueCode } from '@propusk/contract/issues';
import type * as z from 'zod/mini';
import type { Phrase } from './phrase.ts';
import type { fieldFaults, schemaFaults } from './ru/fields.ts';

/** The error of one input field, as a code with parameters. */
export type FieldFault = Phrase<typeof fieldFaults>;

/**
 * Turns a zod issue into the error of the field.
 * @param issue must contain `input`, which zod passes to error maps, but adds to errors only with `reportInput`
 */
export function faultOf(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): Phrase<typeof schemaFaults> {
  const { input, code } = issue;
  const field = issue.path?.at(-1);
  if (input === '') return ['required'];
  if (code === 'custom' && issue.params !== undefined) return [issue.params.fault as IssueCode];
  if (input === undefined || input === null) {
    return code === 'invalid_type' && issue.expected === 'string' ? ['required'] : ['choose'];
  }
  const isItem = typeof field === 'number' && issue.path?.at(-2) === 'emails';
  const isCut = typeof input === 'string' && /@\s*$/.test(input);
  if (isCut && (field === 'email' || isItem)) return ['email_server'];
  if (field === 'email') return ['email'];
  if (field === 'port') return ['port'];
  if (field === 'phone') return ['phone'];
  if (code === 'too_small') {
    if (field === 'companyName') return ['name_short', Number(issue.minimum)];
    if (field === 'companySite') return ['site_short', Number(issue.minimum)];
    return issue.origin === 'string'
      ? ['short', Number(issue.minimum)]
      : ['less_than', Number(issue.minimum)];
  }
  if (code === 'too_big') {
    return issue.origin === 'string' ? ['long', Number(issue.maximum)] : ['more_than', Number(issue.maximum)];
  }
  if (code === 'invalid_type' && (issue.expected === 'number' || issue.expected === 'int'))
    return ['not_a_number'];
  if (code === 'invalid_format') return ['bad_characters'];
  return ['unfit'];
}
