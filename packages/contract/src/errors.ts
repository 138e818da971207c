import * as z from 'zod/mini';

/**
 * All error codes with their HTTP statuses. Clients distinguish errors by their code. The compiler requires that every code is
 * declared here and has a sentence in packages/phrases.
 */
export const errors = {
  /** The input is invalid; `fields` describes each fault by its path. */
  bad_input: { status: 400 },
  /** The body nests lists and objects deeper than 32 levels. */
  too_deep: { status: 400 },
  /** The body is not valid JSON, or contains a `__proto__` or `constructor` key. */
  bad_json: { status: 400 },
  /** The link or pairing code in the request is unknown, already used, or expired. */
  link_dead: { status: 400 },
  /** The link to a lock is unknown, or older than seven days. */
  lock_link_dead: { status: 400 },
  /** The invitation is unknown, already used, older than seven days, or for another email address. */
  invitation_dead: { status: 400 },
  /** The request has no valid token: the token is missing, unknown or expired. */
  unauthorized: { status: 401 },
  /** The account does not exist, or the password is wrong. */
  bad_login: { status: 401 },
  /** The password is right, but the request lacks the code of the second factor. */
  second_factor_needed: { status: 401 },
  /** The password is right, but the code of the second factor is wrong or already used. */
  wrong_code: { status: 401 },
  /** The company requires a second factor, and the caller has none yet. */
  second_factor_required: { status: 403 },
  /** The account is suspended. The password, and the code if there is a second factor, were right. */
  suspended: { status: 403 },
  /** The role of the caller does not permit this call. */
  forbidden: { status: 403 },
  /** The platform accepts no registrations, or only registrations with an invitation. */
  registration_closed: { status: 403 },
  /** The email address of the company is not confirmed yet. */
  company_unconfirmed: { status: 403 },
  /** No owner of the company has permitted the platform's support to read the visits. */
  support_closed: { status: 403 },
  /** This call cannot change or delete owners and admins. */
  protected_user: { status: 403 },
  /** Users cannot delete their own account. */
  own_account: { status: 403 },
  /** Only an admin may change the platform's own proxies. */
  default_proxy: { status: 403 },
  /** Only an admin may change a paid proxy. */
  paid_proxy: { status: 403 },
  /** The call cannot change or delete the direct proxy, which is the gateway itself. */
  direct_proxy: { status: 403 },
  /** The proxy does not allow policies for all sites. */
  all_sites_refused: { status: 409 },
  /** The entity does not exist, or belongs to another company. The reply is the same in both cases. */
  not_found: { status: 404 },
  /** No call has this path and method. */
  no_such_call: { status: 404 },
  /** An account with this email address exists. */
  email_taken: { status: 409 },
  /** The company has this site already. */
  site_exists: { status: 409 },
  /** The second factor is on already. */
  second_factor_on: { status: 409 },
  /** The second factor is off. */
  second_factor_off: { status: 409 },
  /** The caller has not begun to set up a second factor, or began more than an hour ago. */
  second_factor_not_begun: { status: 409 },
  /** A caller without a second factor cannot make it mandatory for a company. */
  own_factor_first: { status: 409 },
  /** The email address of the company is confirmed already. */
  already_confirmed: { status: 409 },
  /** The user has set a password already. */
  already_joined: { status: 409 },
  /** The user needs no mail about the extension, or cannot use it yet; the message says why. */
  no_reminder: { status: 409 },
  /** The company would have no owner. */
  last_owner: { status: 409 },
  /** The company cannot be deleted, because a platform admin belongs to this company. */
  company_of_admin: { status: 409 },
  /** Policies use this proxy; the message names them. */
  proxy_in_use: { status: 409 },
  /** A new host or port of a proxy needs the password again, because the stored password is only for the old host and port. */
  password_needed: { status: 409 },
  /** The caller belongs to no company. */
  no_company: { status: 409 },
  /** The call would exceed a fixed limit, such as 1,000 users or 20 vantages of a company. */
  too_many_objects: { status: 409 },
  /** The call would exceed a limit of the company's plan, such as the number of users; the message names the limit. */
  plan_limit: { status: 409 },
  /** The plan of the company does not include the requested feature. */
  not_in_plan: { status: 409 },
  /** The standard plan cannot be archived or become the trial plan, because companies without another plan have this plan. */
  standard_plan: { status: 409 },
  /** Another plan has this name; letter case does not count. */
  plan_exists: { status: 409 },
  /** No plan is marked for the trial, or the company has had its trial. */
  no_trial: { status: 409 },
  /** The company has an open request of the same kind already: for a plan, a paid proxy or the trial. */
  request_open: { status: 409 },
  /** The request for a plan, a paid proxy or the trial is answered, refused or withdrawn already. */
  request_closed: { status: 409 },
  /** The version of the entity differs from `If-Match`. */
  changed_meanwhile: { status: 412 },
  /** The body is larger than 1 MiB, or than 16 KiB in a call that needs no token. */
  too_large: { status: 413 },
  /** The body is not `application/json`. */
  bad_media_type: { status: 415 },
  /** An earlier request used the idempotency key with other input. */
  idempotency_mismatch: { status: 422 },
  /** The read took longer than 5 s; choose a shorter period. */
  too_long: { status: 422 },
  /** More than 5,000 rows or 8 MB match, which is the limit of an exported file; narrow the list by search or filters. */
  too_many_rows: { status: 422 },
  /** The caller exceeded a limit; retry after `Retry-After` seconds. */
  too_many_requests: { status: 429 },
  /** The server failed. */
  internal: { status: 500 },
  /** The disk of the database is full; calls that revoke access still work. */
  disk_full: { status: 503 },
  /** One user or company has too many concurrent calls; retry after `Retry-After` seconds. */
  busy: { status: 503 },
  /** The api is short of memory; retry after `Retry-After` seconds. */
  overloaded: { status: 503 },
  /** The database is unreachable, or too many mails wait for the mail server; retry in a minute. */
  unavailable: { status: 503 },
} as const satisfies Record<string, { status: number }>;

export type ErrorCode = keyof typeof errors;

/** The body of every error reply. */
export const ErrorBody = z.object({
  /** The error code, for programs. @example bad_input */
  code: z.string(),
  /** A Russian sentence for users. */
  message: z.string(),
  /** A description of each fault, by its path in the input, such as `politics.0`. */
  fields: z.optional(z.record(z.string(), z.string())),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
