/** Codes of field errors that custom checks of the schemas report. packages/phrases contains the message for each code. */
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

/** Returns the parameters that make a zod check report the given code. */
export function issue(fault: IssueCode): { params: { fault: IssueCode } } {
  return { params: { fault } };
}
