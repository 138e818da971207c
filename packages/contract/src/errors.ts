import * as z from 'zod/mini';

/**
 * All error codes with their HTTP statuses. Clients branch on the code. An undeclared code does not compile, nor does a code
 * without a sentence in packages/phrases.
 */
export const errors = {
  bad_input: { status: 400 },
  too_deep: { status: 400 },
  bad_json: { status: 400 },
  link_dead: { status: 400 },
  lock_link_dead: { status: 400 },
  invitation_dead: { status: 400 },
  unauthorized: { status: 401 },
  bad_login: { status: 401 },
  second_factor_needed: { status: 401 },
  wrong_code: { status: 401 },
  second_factor_required: { status: 403 },
  forbidden: { status: 403 },
  registration_closed: { status: 403 },
  company_unconfirmed: { status: 403 },
  protected_user: { status: 403 },
  own_account: { status: 403 },
  default_proxy: { status: 403 },
  direct_proxy: { status: 403 },
  all_sites_refused: { status: 409 },
  not_found: { status: 404 },
  no_such_call: { status: 404 },
  email_taken: { status: 409 },
  site_exists: { status: 409 },
  second_factor_on: { status: 409 },
  second_factor_off: { status: 409 },
  second_factor_not_begun: { status: 409 },
  own_factor_first: { status: 409 },
  already_confirmed: { status: 409 },
  last_owner: { status: 409 },
  company_of_admin: { status: 409 },
  proxy_in_use: { status: 409 },
  password_needed: { status: 409 },
  no_company: { status: 409 },
  too_many_objects: { status: 409 },
  changed_meanwhile: { status: 412 },
  too_large: { status: 413 },
  bad_media_type: { status: 415 },
  idempotency_mismatch: { status: 422 },
  too_many_requests: { status: 429 },
  internal: { status: 500 },
  disk_full: { status: 503 },
  busy: { status: 503 },
  overloaded: { status: 503 },
  unavailable: { status: 503 },
} as const satisfies Record<string, { status: number }>;

export type ErrorCode = keyof typeof errors;

/** The body of every error reply. `fields` has a message for each invalid field, keyed by its path in the body (`politics.0`). */
export const ErrorBody = z.object({
  code: z.string(),
  message: z.string(),
  fields: z.optional(z.record(z.string(), z.string())),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
