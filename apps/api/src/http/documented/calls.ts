import type { AuditQuery } from '@propusk/contract/audit';
import { useLink } from '@propusk/contract/auth';
import type { Endpoint, Input } from '@propusk/contract/endpoint';
import type { ErrorCode } from '@propusk/contract/errors';
import type { ProxyQuery } from '@propusk/contract/proxies';
import { openApiExamples as sample } from '@propusk/phrases/openapi';

// OpenAPI texts of calls. They are not in the contract, so that the console's bundle does not include them.

type Documented<T> = readonly [description: string, example: T];

/** The path and query parameters: a description and an example of each. */
export const parameters: {
  readonly id: Documented<number>;
  readonly address: Documented<string>;
  readonly user: Documented<number>;
  readonly host: Documented<string>;
  readonly port: Documented<number>;
} & {
  readonly [K in keyof (ProxyQuery & AuditQuery)]-?: Documented<NonNullable<(ProxyQuery & AuditQuery)[K]>>;
} = {
  id: ['Id of the entity.', 42],
  address: ['Address of the site, in any spelling that the creation of a site accepts.', 'crm.romashka.ru'],
  user: ['Id of the user whose access is explained.', 42],
  host: ['A host name, in any spelling that a browser accepts.', 'crm.romashka.ru'],
  port: ['The port of the host.', 443],
  page: ['Page number, from 1; defaults to 1 when another parameter is given.', 1],
  take: ['Rows per page; defaults to 10 when another parameter is given.', 10],
  order: ['Order by id; defaults to ASC when another parameter is given.', 'ASC'],
  name: ['Only rows that contain this text, case-insensitively; `%` and `_` match literally.', sample.search],
  type: ['Only proxies of this type.', 'default'],
  from: ['Only events at this time or later: a day in Moscow time, or a time with its zone.', '2026-03-02'],
  to: ['Only events before this time, or before the end of this day in Moscow time.', '2026-03-14'],
  of: ['`platform`: rows of every company, for an ADMIN who also owns a company.', 'company'],
};

type Examples<T> = { readonly [name: string]: { readonly summary: string; readonly value: T } };

/** Example bodies of calls with several kinds of body. */
// grows: not, filled once at startup
export const bodyExamples = new Map<Endpoint, Examples<unknown>>();
function showBodies<E extends Endpoint>(endpoint: E, examples: Examples<Input<E['body']>>): void {
  bodyExamples.set(endpoint, examples);
}
const linkToken = 'bGluay1mcm9tLW1haWwtdGhhdC13b3Jrcy1vbmNlLi4';
showBodies(useLink, {
  askForPassword: { summary: 'Send a link for a new password', value: { email: 'anna@romashka.ru' } },
  setPassword: {
    summary: 'Set a new password with the token of the link',
    value: { token: linkToken, password: sample.newPassword },
  },
  askForEmail: {
    summary: 'Send a link to the new address of the signed-in caller',
    value: { email: 'anna.petrova@romashka.ru', change: true, currentPassword: sample.newPassword },
  },
  confirmEmail: {
    summary: 'Confirm the new address, which becomes the login',
    value: { token: linkToken },
  },
});

/** The groups of calls, by the first segment of the path. */
export const groups: Readonly<Record<string, string>> = {
  health: 'Readiness of the service.',
  auth: 'Sign-in and sign-out, registration, links sent by mail.',
  me: 'The caller: its account, password, sessions and access to sites.',
  users: 'Users of companies (agents), owners of companies, and platform admins.',
  company: 'Companies.',
  proxy: 'Upstream proxies, through which traffic leaves for the sites.',
  'domain-allowed': 'Protected sites.',
  politics: 'Access policies: which users reach which sites through which proxy.',
  audit: 'The audit: actors, actions and objects.',
  mail: 'The outbox of mail.',
  lock: 'The lock of a site, for the holder of a link to it.',
  echo: "The caller's own address.",
  vantages: 'Vantages: machines that request sites as strangers do.',
  vantage: 'The signed calls of a vantage.',
  feed: 'Snapshots of access rights, streamed to gateways.',
};

/** The condition under which a call answers with each code. */
export const meanings: Readonly<Record<ErrorCode, string>> = {
  bad_input: 'the input is invalid; `fields` describes each fault by its path',
  too_deep: 'the body nests lists and objects deeper than 32 levels',
  bad_json: 'the body is not valid JSON, or contains a `__proto__` or `constructor` key',
  lock_link_dead: 'the link is unknown, or older than seven days',
  link_dead: 'the link or code is unknown, already used, or expired',
  invitation_dead: 'the invitation is unknown, already used, older than seven days, or for another address',
  unauthorized: 'the token is missing or no longer valid',
  bad_login: 'the account does not exist, or the password is wrong',
  second_factor_needed: 'the password is right, and the request lacks a code of the second factor',
  wrong_code: 'the password is right, but the code of the second factor is wrong or already used',
  second_factor_required: 'the company requires a second factor, and the caller has none yet',
  forbidden: 'the role of the caller may not make this call',
  registration_closed: 'the platform accepts registrations only with an invitation, or none',
  company_unconfirmed: 'the company is not confirmed yet',
  protected_user: 'this call cannot change or delete owners and admins',
  own_account: 'users cannot delete their own account',
  default_proxy: "only an admin may change the platform's own proxies",
  direct_proxy: 'the gateway itself is not a proxy and cannot be changed or deleted',
  all_sites_refused: 'the proxy does not allow policies for all sites',
  not_found: 'the entity does not exist, or belongs to another company; the replies are identical',
  no_such_call: 'the path and method name no call',
  email_taken: 'an account with this address exists',
  site_exists: 'the company has this site already',
  second_factor_on: 'the second factor is on already',
  second_factor_off: 'the second factor is off',
  second_factor_not_begun: 'no secret awaits confirmation, or it is older than an hour',
  own_factor_first: 'the caller requires a second factor of a company but has none',
  already_confirmed: 'the company is confirmed already',
  last_owner: 'the company would have no owner',
  company_of_admin: 'a platform admin belongs to this company',
  password_needed: 'the stored password belongs to the old host and port; send it again',
  proxy_in_use: 'policies use this proxy; the message names them',
  no_company: 'the caller belongs to no company',
  too_many_objects:
    'the company would exceed 1,000 rows of a kind, or its limit of links; or a company 20 vantages',
  changed_meanwhile: 'the version of the entity differs from `If-Match`',
  too_large: 'the body is larger than 1 MiB, or than 16 KiB in a call that needs no token',
  bad_media_type: 'the body is not `application/json`',
  idempotency_mismatch: 'an earlier request used the key with other input',
  too_many_requests: 'the caller exceeded a limit; retry after `Retry-After` seconds',
  internal: 'the server failed',
  disk_full: 'the disk of the database is full; calls that revoke access still work',
  overloaded: 'the api is short of memory; retry after `Retry-After` seconds',
  busy: 'too many concurrent calls of one user or changes of one company; retry after `Retry-After` seconds',
  unavailable: 'the database is unreachable, or too many mails wait for the mail server; retry in a minute',
};
