import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IdParams, IsoDate, listOf, text } from './fields.ts';

/**
 * Vantages: machines outside the product's own network that request a site as a stranger does. The program of a vantage is
 * `apps/web/public/vantage.sh`. A company's vantages serve its sites; those of the platform serve every company.
 */

export const Vantage = z.object({
  id: Id,
  name: z.string(),
  /** The address from which its last call came; null until it is paired. */
  address: z.nullable(z.string()),
  seenAt: z.nullable(IsoDate),
  /** The vantage called within the last minute; probes use only such vantages. */
  present: z.boolean(),
});
export type Vantage = z.infer<typeof Vantage>;

export const listVantages = endpoint({
  method: 'GET',
  path: '/vantages',
  access: ['CREATOR', 'ADMIN'],
  reply: listOf(Vantage),
  errors: ['no_company'],
});

/** The command that pairs a machine. Its code works once. */
export const VantagePairing = z.object({ id: Id, command: z.string(), expiresAt: IsoDate });
export type VantagePairing = z.infer<typeof VantagePairing>;

export const addVantage = endpoint({
  method: 'POST',
  path: '/vantages',
  access: ['CREATOR', 'ADMIN'],
  body: z.object({ name: text(1, 60) }),
  reply: VantagePairing,
  errors: ['no_company', 'too_many_objects', 'too_many_requests'],
});

export const deleteVantage = endpoint({
  method: 'DELETE',
  path: '/vantages/:id',
  access: ['CREATOR', 'ADMIN'],
  params: IdParams,
  errors: ['not_found', 'no_company'],
});

export const pairVantage = endpoint({
  method: 'POST',
  path: '/vantage/pair',
  access: 'public',
  body: z.object({ code: text(1) }),
  /** `key`: 32 bytes in hex, for HMAC-SHA256 (RFC 2104). */
  reply: z.object({ vantage: Id, key: z.string() }),
  errors: ['link_dead', 'too_many_requests'],
});

/** HMAC-SHA256 in lowercase hex. */
const Signature = z.string().check(z.regex(/^[0-9a-f]{64}$/));
/** The count of a signed call must exceed that of the last one, so that no call can be replayed. */
const Count = z.int().check(z.gte(1));

export const takeVantageWork = endpoint({
  method: 'POST',
  path: '/vantage/work',
  access: 'public',
  body: z.object({ vantage: Id, count: Count, signature: Signature }),
  reply: z.object({
    /** Empty when there is no work. */
    task: z.string(),
    /** Base64 of a line for each request: group, step, scheme, host, port, address, path and header, separated by tabs. */
    plan: z.string(),
    /** Seconds until the next call. */
    wait: z.int(),
    /** The number of waiting and running probes that will use this vantage. */
    pending: z.int(),
  }),
  errors: ['unauthorized', 'too_many_requests'],
});

export const reportVantage = endpoint({
  method: 'POST',
  path: '/vantage/report',
  access: 'public',
  body: z.object({
    vantage: Id,
    count: Count,
    signature: Signature,
    task: z.uuid(),
    group: z.int().check(z.gte(0)),
    /** Base64 of a line for each request: step, exit status of curl, HTTP status, 1 when connected, base64 of the head or `-`. */
    results: z.string().check(z.maxLength(15_000), z.regex(/^[A-Za-z0-9+/]*={0,2}$/)),
  }),
  errors: ['unauthorized', 'not_found', 'too_many_requests'],
});
