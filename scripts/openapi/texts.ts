import { productName } from '@propusk/phrases/openapi';

/** The introduction of the OpenAPI document. */
export const introduction = `The console of ${productName} uses these calls, and any other program may use them too.

**Authentication.** \`POST /api/auth/login\` returns a token. Send it as \`Authorization: Bearer TOKEN\`. A call that the
role may not make gets 403. An entity of another company gets 404, like an entity that does not exist.

**Bodies** are JSON in UTF-8, at most 1 MiB (16 KiB for a call that needs no token) and 32 levels deep. Undeclared fields are ignored and never stored.
A field that is absent from a \`PUT\`, or null, stays unchanged.

**Errors** have one form: \`{"code", "message", "fields"?}\`. Programs branch on \`code\`; \`message\` is a Russian sentence
for users; \`fields\` describes each fault by its path. Any call may answer 500 \`internal\` and 503 \`unavailable\`. An unknown
path gets 404 \`no_such_call\`, and a path that cannot be decoded gets 400 \`bad_input\`.

**Lists** answer \`{"rows", "count"}\`. Without parameters the reply holds all rows (at most 2,000; no company has more, and
\`count\` is the full number), but only the first 100 companies. With any of \`page\`, \`take\`, \`order\`, \`name\` it holds one page, ordered by id. \`GET /api/audit\` always answers one page, newest first. Only \`GET /api/company\` answers an array, with the count in \`X-Total-Count\`.

**Versions.** An entity has a \`version\`, and its replies have an \`ETag\`. A \`PUT\` or \`DELETE\` with \`If-Match\` gets
412 when the entity has changed since; without the header the last write wins.

**Retrying a create.** A \`POST\` that creates accepts \`Idempotency-Key\`. The same request under the same key within 24
hours creates nothing more: it gets the first reply again, with \`Idempotent-Replayed: true\`. Another request under the key
gets 422.

**Rate limits.** A request beyond a limit gets 429, with the seconds to wait in \`Retry-After\`.`;

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
  extension: 'The builds of the browser extension.',
  plans: 'Plans of the platform: prices, limits and features.',
  tariff: "The caller's plan and trial, and requests to the operator.",
  statistics: 'Figures of access in a period.',
  visits: 'Records of access: visits and refusals.',
  contact: "The contact of the platform's operator.",
  audit: 'The audit: actors, actions and objects.',
  mail: 'The outbox of mail.',
  state: 'The state of the server.',
  lock: 'The lock of a site, for the holder of a link to it.',
  echo: "The caller's own address.",
  vantages: 'Vantages: machines that request sites as strangers do.',
  vantage: 'The signed calls of a vantage.',
  feed: 'Snapshots of access rights, streamed to gateways.',
};

/** The beginning of a feed, as bytes on the wire. */
export const feedExample = `event: company
data: {"companyId":5,"version":128,"users":[],"sites":[],"proxies":[],"policies":[]}

event: ready
data: {}

event: heartbeat
data: {}

`;
