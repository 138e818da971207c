import type { AuditQuery } from '@propusk/contract/audit';
import { useLink } from '@propusk/contract/auth';
import type { Endpoint, Input } from '@propusk/contract/endpoint';
import type { ErrorCode } from '@propusk/contract/errors';
import type { ProxyQuery } from '@propusk/contract/proxies';
import { openApiExamples as sample } from '@propusk/phrases/openapi';

// What OpenAPI says of calls in words. Apart from the contract, so that the console does not carry it.

type Said<T> = readonly [string, T];

/** What stands in a path or a query: a sentence and an example. */
export const parameters: {
  readonly id: Said<number>;
  readonly address: Said<string>;
  readonly user: Said<number>;
  readonly host: Said<string>;
  readonly port: Said<number>;
} & {
  readonly [K in keyof (ProxyQuery & AuditQuery)]-?: Said<NonNullable<(ProxyQuery & AuditQuery)[K]>>;
} = {
  id: ['Id of the entity that the call is about.', 42],
  address: ['Address of the site, in any spelling that adding it takes.', 'crm.romashka.ru'],
  user: ['Id of the person whose access is explained.', 42],
  host: ['A host name, in any spelling that a browser takes.', 'crm.romashka.ru'],
  port: ['The port of the host.', 443],
  page: ['Page of the list, from 1; 1 when another parameter is given.', 1],
  take: ['Rows of a page; 10 when another parameter is given.', 10],
  order: ['Order by id; ASC when another parameter is given.', 'ASC'],
  name: ['Rows that have this text anywhere, letter case ignored; `%` and `_` are letters.', sample.search],
  type: ['Proxies of this type alone.', 'default'],
  from: ['What was done then or later: a day in Moscow, or a moment with its zone.', '2026-03-02'],
  to: ['What was done before that: before the end of a day in Moscow, or before a moment.', '2026-03-14'],
  of: ['`platform`: everything there is, for an ADMIN who owns a company as well.', 'company'],
};

type Examples<T> = { readonly [name: string]: { readonly summary: string; readonly value: T } };

/** Bodies of calls that are more than one thing. */
// grows: not, the program fills it as it starts
export const bodyExamples = new Map<Endpoint, Examples<unknown>>();
function showBodies<E extends Endpoint>(endpoint: E, examples: Examples<Input<E['body']>>): void {
  bodyExamples.set(endpoint, examples);
}
const linkToken = 'bGluay1mcm9tLW1haWwtdGhhdC13b3Jrcy1vbmNlLi4';
showBodies(useLink, {
  askForPassword: { summary: 'Send a link for a new password', value: { email: 'anna@romashka.ru' } },
  setPassword: {
    summary: 'Set a new password by the link from mail',
    value: { token: linkToken, password: sample.newPassword },
  },
  askForEmail: {
    summary: 'Send a link to the new address of the signed-in caller',
    value: { email: 'anna.petrova@romashka.ru', change: true, currentPassword: sample.newPassword },
  },
  confirmEmail: {
    summary: 'Sign in with the new address from now on',
    value: { token: linkToken },
  },
});

/** What the groups of calls are about; a group is the first word of the path. */
export const groups: Readonly<Record<string, string>> = {
  health: 'Whether the service is ready.',
  auth: 'Signing in and out, registration, links from mail.',
  me: 'The caller: who it is, its password, its sessions, its way to the sites.',
  users: 'People of companies (agents), their owners, and platform admins.',
  company: 'Companies.',
  proxy: 'Upstream proxies: ways out to the sites.',
  'domain-allowed': 'Protected sites.',
  politics: 'Access policies: who reaches which sites through which proxy.',
  audit: 'Who did what.',
  lock: 'The lock of a site, for whoever has a link to it.',
  echo: "The caller's own address.",
  feed: 'For gateways: who may reach what, as it changes.',
};

/** When a call answers with a code. */
export const meanings: Readonly<Record<ErrorCode, string>> = {
  bad_input: 'the input does not fit; `fields` says what is wrong, by its path',
  too_deep: 'lists and objects of the body nest deeper than 32',
  bad_json: 'the body is no JSON, or holds a `__proto__` or `constructor` key',
  lock_link_dead: 'The link is unknown, or older than seven days.',
  link_dead: 'the link was used, is older than 10 minutes, or never was',
  unauthorized: 'no token, or one that is not valid any more',
  bad_login: 'no such account, or another password',
  second_factor_needed: 'the password is right; a code of the second factor is to come with it',
  wrong_code: 'the password is right, and the code of the second factor is not, or was used',
  second_factor_required: 'the company requires a second factor, and the caller has none yet',
  forbidden: 'the role may never make this call',
  protected_user: 'owners and admins are not changed or removed this way',
  own_account: 'nobody removes themselves',
  default_proxy: "the platform's own proxies are an admin's to change",
  direct_proxy: 'the gateway itself is not a proxy to be changed or removed',
  all_sites_refused: 'the proxy does not allow policies for all sites',
  not_found: "absent, or another company's: the answers do not differ",
  no_such_call: 'there is no such call',
  email_taken: 'an account with this address exists',
  site_exists: 'the company has this site already',
  second_factor_on: 'the second factor is on already',
  second_factor_off: 'there is no second factor',
  second_factor_not_begun: 'no secret waits to be confirmed, or it is older than an hour',
  own_factor_first: 'whoever requires a second factor of a company has none',
  last_owner: 'the company would have no owner',
  company_of_admin: 'an admin of the platform belongs to this company',
  proxy_in_use: 'policies use this proxy; the message names them',
  no_company: 'the caller belongs to no company',
  too_many_objects: 'a company holds at most 1,000 rows of a kind',
  changed_meanwhile: 'the entity is not at the version that `If-Match` names',
  too_large: 'the body is larger than 1 MiB, or than 16 KiB in a call that needs no token',
  bad_media_type: 'the body is not `application/json`',
  idempotency_mismatch: 'the key stood for another request',
  too_many_requests: 'too many tries; `Retry-After` says when to come back',
  internal: 'something is broken on the side of the server',
  disk_full: 'the disk of the database is full: calls that create are refused, those that revoke are not',
  overloaded: 'the api is short of memory; repeat after Retry-After',
  busy: 'too many calls of one person or changes of one company at once; repeat after Retry-After',
  unavailable: 'the database is away; come back in a minute',
};
