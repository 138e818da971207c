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

/** The beginning of a feed, as bytes on the wire. */
export const feedExample = `event: company
data: {"companyId":5,"version":128,"users":[],"sites":[],"proxies":[],"policies":[]}

event: ready
data: {}

event: heartbeat
data: {}

`;
