import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { Id, IsoDate, listOf, text } from './fields.ts';
import { ShownText } from './shown-text.ts';

/**
 * Vantages are machines outside the product's own network that request a site like an outside visitor. The program is
 * `apps/web/public/vantage.sh`. Probes of a company's sites use the vantages of the company and of the platform.
 */

/** A machine that requests sites like an outside visitor. */
export const Vantage = z.object({
  id: Id,
  /** The name of the vantage, given by its owner. */
  name: ShownText,
  /** The IP address of the vantage's last call; null until it is paired. @example 203.0.113.9 */
  address: z.nullable(z.string()),
  /** The time of the vantage's last call; null until it is paired. */
  seenAt: z.nullable(IsoDate),
  /** Whether the vantage sent a call within the last minute. Otherwise, probes do not use the vantage. */
  present: z.boolean(),
});
export type Vantage = z.infer<typeof Vantage>;

/** List the company's vantages. An ADMIN without a company gets the platform's vantages. */
export const listVantages = endpoint('GET /vantages', {
  access: ['CREATOR', 'ADMIN'],
  reply: listOf(Vantage),
  errors: ['no_company'],
});

/** A vantage and the command that pairs a machine with the vantage. */
export const VantagePairing = z.object({
  id: Id,
  /** A command line for a POSIX shell. The pairing code in it works once. @example curl -fsS https://console.example/vantage.sh -o vantage.sh && … */
  command: z.string(),
  /** The expiry of the pairing code. */
  expiresAt: IsoDate,
});
export type VantagePairing = z.infer<typeof VantagePairing>;

/** Add a vantage; returns the command that pairs a machine within 15 minutes. */
export const addVantage = endpoint('POST /vantages', {
  access: ['CREATOR', 'ADMIN'],
  body: z.object({
    /** The name of the vantage, as shown in lists and in the messages of verdicts. */
    name: text(1, 60),
  }),
  reply: VantagePairing,
  errors: ['no_company', 'too_many_objects', 'too_many_requests'],
});

/** Delete a vantage; its key becomes invalid. */
export const deleteVantage = endpoint('DELETE /vantages/:id', {
  access: ['CREATOR', 'ADMIN'],
  errors: ['not_found', 'no_company'],
});

/** Exchange a pairing code for the key of the new vantage. */
export const pairVantage = endpoint('POST /vantage/pair', {
  access: 'public',
  body: z.object({
    /** The pairing code from the command. @example y1kzWBqUZz3v0l0lq0yqB7hJm0W2y5u8t1n4x7a0dEE */
    code: text(1),
  }),
  reply: z.object({
    /** The id of the vantage. */
    vantage: Id,
    /** The key for signed calls: 32 bytes in hex, for HMAC-SHA256 (RFC 2104). @example 7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f */
    key: z.string(),
  }),
  errors: ['link_dead', 'too_many_requests'],
});

/** The fields of every signed call. */
const signed = {
  /** The id of the vantage, from the reply to the pairing call. */
  vantage: Id,
  /** A counter that rises with every call, so that no call can be replayed. */
  count: z.int().check(z.gte(1)),
  /** The signature: HMAC-SHA256 in lowercase hex. @example f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8 */
  signature: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
};

/**
 * Get the next requests that a vantage has to send. The signed text is `work VANTAGE COUNT`. Each word
 * in capitals is replaced by the value of the body's field with this name.
 */
export const takeVantageWork = endpoint('POST /vantage/work', {
  access: 'public',
  body: z.object(signed),
  reply: z.object({
    /** The id of the task; empty when there is no work. @example 6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c11 */
    task: z.string(),
    /**
     * The requests to send, as base64 of one line per request. A line contains group, step, scheme, host,
     * port, address, path and header, separated by tabs.
     */
    plan: z.string(),
    /** Seconds that the vantage must wait before the next call. */
    wait: z.int(),
    /** The number of waiting and running probes that will use this vantage. */
    pending: z.int(),
  }),
  errors: ['unauthorized', 'too_many_requests'],
});

/**
 * Report the responses to one group of requests. The signed text is
 * `report VANTAGE COUNT TASK GROUP RESULTS`. Each word in capitals is replaced by the value of the body's field with this name.
 */
export const reportVantage = endpoint('POST /vantage/report', {
  access: 'public',
  body: z.object({
    ...signed,
    /** The id of the task. @example 6f1e6f0a-5d0f-4a63-9d5c-0a4f6a3f3c11 */
    task: z.uuid(),
    /** The number of the request group within the task, from 0. @example 0 */
    group: z.int().check(z.gte(0)),
    /**
     * The results, as base64 of one line per request. A line contains the step, the exit status of curl, the
     * HTTP status, 1 if connected or 0 if not, and the headers in base64 or `-`.
     * @example MCAwIDQwMyAxIC0K
     */
    results: z.string().check(z.maxLength(15_000), z.regex(/^[A-Za-z0-9+/]*={0,2}$/)),
  }),
  errors: ['unauthorized', 'not_found', 'too_many_requests'],
});
