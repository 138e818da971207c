/** Faults of a field that a schema's own check finds; packages/phrases has their sentences. */
export type IssueCode =
  | 'required'
  | 'password_short'
  | 'repeated'
  | 'no_such_day'
  | 'no_proxy_host'
  | 'email_or_token'
  | 'password_from_link'
  | 'email_from_link'
  | 'password_not_asked';

/** The parameters of a zod check that fails with a code of ours. */
export function issue(fault: IssueCode): { params: { fault: IssueCode } } {
  return { params: { fault } };
}
