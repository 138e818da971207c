import * as z from 'zod/mini';
import { ClientName } from './access.ts';
import { endpoint } from './endpoint.ts';
import { GivenDate, Id, IsoDate, Named, numeral } from './fields.ts';
import { limits } from './limits.ts';

/**
 * Access records state who reached which site, or was refused. Gateways create them. They contain no path, query, header or body.
 */

/**
 * The kind of a record. `requests`: the plain requests of one client connection to one site. `refusal`:
 * refusals with the same user, host, reason and client address within a minute. `loss`: the number of records
 * that the gateway dropped for lack of room.
 * @example tunnel
 */
export const RecordKind = z.enum(['tunnel', 'websocket', 'requests', 'refusal', 'loss']);
export type RecordKind = z.infer<typeof RecordKind>;

/** The id of a record. The gateway creates it. @example 0b7f5d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11 */
export const RecordId = z.uuid();

/**
 * The state of a visit. `interrupted`: the gateway stopped or no longer sends updates. The record then has
 * the values of the last update.
 * @example closed
 */
export const VisitState = z.enum(['open', 'closed', 'interrupted']);

/**
 * A visit or refusal, with the current names of its user, site, policy and proxy. For a deleted user, the record has the name
 * before the deletion, unless the company's settings remove the names of deleted users.
 */
export const Visit = z.object({
  /** The id of the record. */
  id: RecordId,
  kind: RecordKind,
  state: VisitState,
  startedAt: IsoDate,
  /** The duration of the visit in milliseconds, up to the last update. */
  ms: z.int(),
  /** The user; null if the client had no valid credentials. */
  user: z.nullable(Named),
  /** The site; null if the host is not a site of the company. */
  site: z.nullable(Named),
  /** The policy that allowed the visit; null for a refusal, and for a deleted policy. */
  policy: z.nullable(Named),
  /** The proxy that carried the traffic. Null for the gateway itself, for a refusal, and for a deleted proxy. */
  proxy: z.nullable(Named),
  /** The client's IP address, in full or reduced according to the company's settings. @example 203.0.113.5 */
  address: z.string(),
  /** The requested host; `*` for a summary record of several hosts. @example crm.romashka.ru */
  host: z.string(),
  /** The requested port; 0 for a summary record of several ports. @example 443 */
  port: z.int(),
  /** Why the gateway refused the requests or ended the visit; empty if it did neither. @example no_policy */
  reason: z.string(),
  /** The number of requests or refusals. */
  count: z.int(),
  /** The number of visits of a summary record; 1 for other records. @example 1 */
  visits: z.int(),
  /** Bytes from the client. */
  up: z.int(),
  /** Bytes to the client. */
  down: z.int(),
  /** The name of the extension or program that the client gave; null without a name. */
  client: z.nullable(ClientName),
});
export type Visit = z.infer<typeof Visit>;

/** The filters of the access log. */
export const VisitFilter = z.object({
  /** Returns only visits and refusals of this user. */
  user: z.optional(numeral(Id)),
  /** Returns only visits and refusals for this site. */
  site: z.optional(numeral(Id)),
  /** Returns only visits, or only refusals. @example refused */
  result: z.optional(z.enum(['allowed', 'refused'])),
  /** Returns only visits and refusals with this reason. @example no_policy */
  reason: z.optional(z.string().check(z.maxLength(40), z.regex(/^[a-z_]*$/))),
  /** Returns only visits and refusals from this client address. @example 203.0.113.5 */
  address: z.optional(z.string().check(z.maxLength(45), z.regex(/^[0-9a-fA-F.:]*$/))),
  /**
   * Returns only visits and refusals that started at this time or later. The filters `result`, `reason` and
   * `address` require `from` and `to`, at most 31 days apart.
   */
  from: z.optional(GivenDate),
  /** Returns only visits and refusals that started before this time. */
  to: z.optional(GivenDate),
});
export type VisitFilter = z.infer<typeof VisitFilter>;

/** The query of the access log. */
export const VisitQuery = z.extend(VisitFilter, {
  /**
   * The cursor: the value of `next` in the previous page. The reply contains only older visits and refusals.
   * @example 1773504300000-0b7f5d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11
   */
  before: z.optional(
    z.string().check(z.maxLength(80), z.regex(/^\d{1,13}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  ),
  /** The number of rows per page; 50 by default. @example 50 */
  take: z.optional(numeral(z.int().check(z.gte(1), z.lte(limits.page.maxTake)))),
});
export type VisitQuery = z.infer<typeof VisitQuery>;

/** A page of the access log. */
export const VisitPage = z.object({
  /** The visits and refusals, newest first. */
  rows: z.array(Visit),
  /** The value of `before` for the next page; null on the last page. @example null */
  next: z.nullable(z.string()),
});
export type VisitPage = z.infer<typeof VisitPage>;

/**
 * List the visits and refusals of the caller's company, newest first. The caller's first call of a day (UTC) without the
 * filter `user` writes an audit event. With the filter, the first call of a day for each user writes an audit event, unless this
 * user is the caller.
 */
export const listVisits = endpoint('GET /visits', {
  access: ['CREATOR'],
  query: VisitQuery,
  reply: VisitPage,
  heavy: true,
  errors: ['no_company'],
});

/**
 * Export the visits and refusals of the caller's company as JSON lines, newest first. Each line is a `Visit`.
 * With `Accept: text/csv`, the reply is a CSV with labels instead of codes, and with times in the company's
 * time zone. A user's first export of a day (UTC) writes an audit event. If the export fails or the session
 * ends, the connection closes without the last chunk (RFC 9112 section 7.1). The file is then incomplete. A
 * user may run one export at a time, and a company eight. Further calls get `busy`.
 */
export const exportVisits = endpoint('GET /visits/export', {
  access: ['CREATOR'],
  query: VisitFilter,
  reply: Visit,
  heavy: true,
  errors: ['no_company'],
});

/** List the visits of the caller's company that are in progress, at most 1,000. */
export const liveVisits = endpoint('GET /visits/live', {
  access: ['CREATOR'],
  reply: VisitPage,
  errors: ['no_company'],
});

/** The visits to end: one visit, or all visits of a user. */
export const VisitEnd = z.union([
  z.object({
    /** The id of the visit's record. */
    record: RecordId,
  }),
  z.object({
    /** The id of the user whose visits end. */
    user: Id,
  }),
]);
export type VisitEnd = z.infer<typeof VisitEnd>;

/** End a visit in progress, or all visits of a user, at every gateway. The client may connect again while its access is allowed. */
export const endVisits = endpoint('POST /visits/end', {
  access: ['CREATOR'],
  body: VisitEnd,
  errors: ['no_company', 'not_found'],
});

/** The query of the list of the caller's own visits. */
export const OwnVisitQuery = z.object({
  /**
   * The cursor: the value of `next` in the previous page. The reply contains only older visits and refusals.
   * @example 1773504300000-0b7f5d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11
   */
  before: VisitQuery.shape.before,
  /** The number of rows per page; 50 by default. @example 50 */
  take: VisitQuery.shape.take,
});

/** List the caller's own visits and refusals, newest first. */
export const myVisits = endpoint('GET /me/visits', {
  access: ['USER', 'CREATOR'],
  query: OwnVisitQuery,
  reply: VisitPage,
  errors: ['no_company'],
});

/** A figure of a period, and the same figure of the preceding period of equal length. */
const Figure = z.object({
  /** The figure for the period. */
  now: z.int(),
  /** The figure for the preceding period. */
  before: z.int(),
});

const figures = {
  /** The number of users with at least one visit. */
  people: Figure,
  /** The number of visits. A visit is a tunnel, a WebSocket, or a client connection with plain requests. */
  visits: Figure,
  /** Bytes in both directions. */
  bytes: Figure,
  /** Refused requests. */
  refusals: Figure,
};

/** The totals of one site, or of one user, in a period. */
export const Share = z.extend(Named, {
  /** Visits. */
  visits: z.int(),
  /** Bytes in both directions. */
  bytes: z.int(),
});
export type Share = z.infer<typeof Share>;

/** The figures of a company's access in a period. */
export const Statistics = z.object({
  ...figures,
  /** The figures for each hour or day of the period. */
  chart: z.array(
    z.object({
      /** The start of the hour or day. */
      at: IsoDate,
      /** Visits. */
      visits: z.int(),
      /** Bytes in both directions. */
      bytes: z.int(),
      /** Refused requests. */
      refusals: z.int(),
    }),
  ),
  /** The most active sites, at most ten, in the wanted order. */
  sites: z.array(Share),
  /** The most active users, at most ten, in the wanted order. */
  users: z.array(Share),
  /** The most frequent refusals, at most 20. */
  refused: z.array(
    z.object({
      /** The reason of the refusals. @example no_policy */
      reason: z.string(),
      /** The user; null for a deleted user. */
      user: z.nullable(Named),
      /** The requested host. @example crm.romashka.ru */
      host: z.string(),
      /** The site of the company that has this host; null if no site has it. */
      site: z.nullable(Named),
      /** Refused requests. */
      count: z.int(),
    }),
  ),
  /** Pairs of a user and a site that the user may reach but did not visit in the last 30 days, at most 50. */
  unused: z.array(
    z.object({
      /** The user who may reach the site. */
      user: Named,
      /** The site. */
      site: Named,
    }),
  ),
  /** Sites without a visit in the last 30 days, at most 50. */
  idle: z.array(Named),
});
export type Statistics = z.infer<typeof Statistics>;

/** The period of the statistics. */
export const StatisticsQuery = z.object({
  /** The start of the period, rounded down to the full hour. */
  from: GivenDate,
  /** The end of the period. */
  to: GivenDate,
  /** The length of each interval of the chart. @example day */
  step: z.enum(['hour', 'day']),
  /** The measure that makes a site or user the most active: visits (the default) or bytes. @example bytes */
  topBy: z.optional(z.enum(['visits', 'bytes'])),
});
export type StatisticsQuery = z.infer<typeof StatisticsQuery>;

/** Get the figures of the caller's company in a period of at most 366 days. Hours and days begin in the company's time zone. */
export const statistics = endpoint('GET /statistics', {
  access: ['CREATOR'],
  query: StatisticsQuery,
  reply: Statistics,
  heavy: true,
  errors: ['no_company', 'bad_input'],
});

/** The permission for ADMINs to read the visits of a company. */
export const Support = z.object({
  /** The time when the permission ends; null without a permission. */
  until: z.nullable(IsoDate),
});
export type Support = z.infer<typeof Support>;

/** Get the permission that the caller's company gave to the platform's support. */
export const getSupport = endpoint('GET /visits/support', {
  access: ['CREATOR'],
  reply: Support,
  errors: ['no_company'],
});

/** Allow every ADMIN to read the visits of the caller's company for 24 hours, or end that permission. */
export const setSupport = endpoint('PUT /visits/support', {
  access: ['CREATOR'],
  body: z.object({
    /**
     * True permits ADMINs to read the visits for 24 hours from now, and also extends a permission in force.
     * False ends the permission.
     */
    allowed: z.boolean(),
  }),
  reply: Support,
  errors: ['no_company'],
});

/** The figures of a company's access in the last 30 days and in the 30 days before, for ADMINs. */
export const CompanyFigures = z.object({
  ...figures,
  /** The time until which ADMINs may list the company's visits; null if they may not. */
  supportUntil: z.nullable(IsoDate),
});
export type CompanyFigures = z.infer<typeof CompanyFigures>;

/** Get the figures of a company's access in the last 30 days. The reply names no user and no host. */
export const companyFigures = endpoint('GET /company/:id/statistics', {
  access: ['ADMIN'],
  reply: CompanyFigures,
  heavy: true,
  errors: ['not_found'],
});

/**
 * List the visits and refusals of a company, newest first. The call works only while the company
 * permits ADMINs to read its visits. For each ADMIN, the first call of a day (UTC) writes an audit event of the company.
 */
export const companyVisits = endpoint('GET /company/:id/visits', {
  access: ['ADMIN'],
  query: VisitQuery,
  reply: VisitPage,
  heavy: true,
  errors: ['not_found', 'support_closed'],
});
