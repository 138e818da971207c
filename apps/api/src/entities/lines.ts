import type { ErrorCode } from '@propusk/contract/errors';
import type { FieldFault } from '@propusk/phrases/field-fault';
import { refuseFaults } from '../core/errors.ts';
import type { Tx } from '../db/open.ts';

/**
 * Refuses a list with invalid lines. The error has the faults of all lines.
 * @param prefix the path of the list in the body, such as `people.`; empty when the body is the list
 * @param faultOf returns the faulty field of a line and its fault; null for a valid line
 * @throws AppError `code` with `fields`, whose keys are paths such as `people.3.email`
 */
export function refuseLines<Line>(
  code: ErrorCode,
  prefix: string,
  lines: readonly Line[],
  faultOf: (line: Line, at: number) => readonly [field: string, fault: FieldFault] | null,
): void {
  const entryOf = (line: Line, at: number): [string, FieldFault | null] => {
    const fault = faultOf(line, at);
    return fault === null ? ['', null] : [`${prefix}${at}.${fault[0]}`, fault[1]];
  };
  refuseFaults(code, lines.map(entryOf));
}

/** Refuses lines with policies that the company does not have. @throws AppError bad_input, as `refuseLines` does */
export async function refuseUnknownPolicies(
  tx: Tx,
  companyId: number,
  prefix: string,
  lines: readonly { readonly politics: readonly number[] }[],
): Promise<void> {
  const rows = await tx.selectFrom('policies').select('id').where('company_id', '=', companyId).execute();
  const known = new Set(rows.map(({ id }) => id));
  refuseLines('bad_input', prefix, lines, ({ politics }) =>
    politics.every((id) => known.has(id)) ? null : ['politics', ['gone_from_list']],
  );
}
