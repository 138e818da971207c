import { productName } from '@propusk/phrases/openapi';

/** The introduction of the OpenAPI document. */
export const introduction = `The console of ${productName} speaks to the server through these calls, and so may any other program.

**Signing in.** \`POST /api/auth/login\` answers with a token; it is sent as \`Authorization: Bearer TOKEN\`. What a role
may never do is refused with 403; what another company owns is answered like what does not exist, with 404.

**Bodies** are JSON in UTF-8, at most 1 MiB (16 KiB for a call that needs no token) and 32 levels deep. Fields that are not declared are ignored and never stored.
A field that is absent from a \`PUT\`, or null, stays as it is.

**Errors** have one form: \`{"code", "message", "fields"?}\`. Programs branch on \`code\`; \`message\` is a Russian sentence
for people; \`fields\` says what is wrong, by its path. Any call may answer 500 \`internal\` and 503 \`unavailable\`. An address that no
call has answers 404 \`no_such_call\`, and one that cannot be decoded 400 \`bad_input\`.

**Lists** answer \`{"rows", "count"}\`. Without parameters all rows come (2,000 at most; no company has more, and
\`count\` tells); with any of \`page\`, \`take\`, \`order\`, \`name\` one page does, ordered by id. \`GET /api/audit\` is always a page, the newest first. \`GET /api/company\` alone answers an array, with the count in \`X-Total-Count\`.

**Versions.** An entity carries \`version\`, and its replies an \`ETag\`. A \`PUT\` or \`DELETE\` with \`If-Match\` is refused with
412 when the entity was changed meanwhile; without the header the last one to write wins.

**Repeating a create.** A \`POST\` that creates takes \`Idempotency-Key\`. The same request under the same key within 24
hours creates nothing more: it gets the first answer again, with \`Idempotent-Replayed: true\`. Another request under the key
is refused with 422.

**Too many tries** are refused with 429, and \`Retry-After\` says how many seconds to wait.`;

/** The beginning of a feed, as it stands on the wire. */
export const feedExample = `event: company
data: {"companyId":5,"version":128,"users":[],"sites":[],"proxies":[],"policies":[]}

event: ready
data: {}

event: heartbeat
data: {}

`;
