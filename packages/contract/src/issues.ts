/** Codes of field errors that a schema's own checks report; packages/phrases has their sentences. */
export type IssueCode =
  | 'required'
  | 'password_short'
  | 'repeated'
  | 'no_such_day'
  | 'no_proxy_host'
  | 'proxy_address_changes'
  | 'email_or_token'
  | 'password_from_link'
  | 'email_from_link'
  | 'password_not_asked';

/** Returns the parameters with which a zod check reports this code. */
export function issue(fault: IssueCode): { params: { fault: IssueCode } } {
  return { params: { fault } };
}
