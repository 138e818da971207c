import * as z from 'zod/mini';
import { ClientName } from './access.ts';
import { endpoint } from './endpoint.ts';
import { GivenDate, Id } from './fields.ts';
import { limits } from './limits.ts';
import { RecordId, RecordKind } from './records.ts';

/** The access records as gateways send them to the api. */

const Count = z.int().check(z.gte(0));

/**
 * An access record as a gateway sends it: at the start of a visit, every 60 s, and at the end. A field that
 * does not apply is absent.
 */
export const GatewayRecord = z.object({
  /** The id of the record, which is the same in every update. */
  id: RecordId,
  kind: RecordKind,
  /** The start of the visit, or of the period that the record covers. */
  startedAt: GivenDate,
  /** Milliseconds from the start to this update; for a summary record of several visits, the sum of their durations. */
  ms: Count,
  /** The time of this update; absent if it equals `startedAt` plus `ms`. */
  at: z.optional(GivenDate),
  /** Whether the visit is still in progress. */
  open: z.boolean(),
  /** The company of the user; absent if the client had no valid credentials. */
  companyId: z.optional(Id),
  /** The user; absent if the client had no valid credentials. */
  userId: z.optional(Id),
  /** The company's site that covers the host; absent if there is none. For a visit, the site must be in the visit's policy. */
  siteId: z.optional(Id),
  /** The policy that allowed the visit. */
  policyId: z.optional(Id),
  /** The proxy that carried the traffic; absent for the gateway itself. */
  proxyId: z.optional(Id),
  /**
   * The client's IP address, in full or reduced according to the company's settings. The address is in full if
   * the client had no valid credentials.
   * @example 203.0.113.5
   */
  address: z.string().check(z.maxLength(45)),
  /** The requested host. @example crm.romashka.ru */
  host: z.string().check(z.maxLength(limits.address)),
  /** The requested port. */
  port: z.int().check(z.gte(0), z.lte(65_535)),
  /** Why the gateway refused the requests or ended the visit; empty if it did neither. @example no_policy */
  reason: z.string().check(z.maxLength(40)),
  /** The number of requests or refusals. */
  count: Count,
  /**
   * The number of visits that a summary record covers; absent for other records. Gateways write summary
   * records when the record budget of a user or company is used up.
   */
  visits: z.optional(Count),
  /** Bytes from the client. */
  up: Count,
  /** Bytes to the client. */
  down: Count,
  /** The name that the client gave when it requested its gateway token; absent without a name. */
  client: z.optional(ClientName),
});
export type GatewayRecord = z.infer<typeof GatewayRecord>;

/** Milliseconds since 1970, up to the year 9999. */
const Moment = z.int().check(z.gte(0), z.lte(253_402_300_799_999));
const IdOrNone = z.int().check(z.gte(0));

/**
 * An access record as an array, whose numbers and texts are the fields of `GatewayRecord` in this order: the number of the record
 * within the run, `kind`, `startedAt` and `ms` in milliseconds, 1 if `open`, `companyId`, `userId`, `siteId`, `policyId`,
 * `proxyId`, `address`, `host`, `port`, `reason`, `count`, `visits`, `up`, `down`, `client`, `at` in milliseconds. A field
 * that `GatewayRecord` omits is 0, or the empty text.
 * @example [7, "tunnel", 1773504300000, 5120, 0, 1, 2, 3, 4, 0, "203.0.113.5", "crm.romashka.ru", 443, "", 1, 0, 900, 41000, "", 0]
 */
export const RecordRow = z.tuple([
  z.int().check(z.gte(1), z.lte(0xffff_ffff_ffff)),
  RecordKind,
  Moment,
  Count,
  z.union([z.literal(0), z.literal(1)]),
  IdOrNone,
  IdOrNone,
  IdOrNone,
  IdOrNone,
  IdOrNone,
  GatewayRecord.shape.address,
  GatewayRecord.shape.host,
  GatewayRecord.shape.port,
  GatewayRecord.shape.reason,
  Count,
  Count,
  Count,
  Count,
  z.union([z.literal(''), ClientName]),
  Moment,
]);
export type RecordRow = z.infer<typeof RecordRow>;

/** Returns the id of a record: the run's id, with its last twelve digits replaced by the record's number in hexadecimal. */
export const recordIdOf = (run: string, number: number): string =>
  run.slice(0, 24) + number.toString(16).padStart(12, '0');

/** Converts a row of a run into a record. */
export function recordOf(run: string, row: RecordRow): GatewayRecord {
  const [number, kind, startedAt, ms, open, companyId, userId, siteId, policyId, proxyId, ...rest] = row;
  const [address, host, port, reason, count, visits, up, down, client, at] = rest;
  return {
    id: recordIdOf(run, number),
    kind,
    startedAt: new Date(startedAt).toISOString(),
    ms,
    open: open === 1,
    companyId: companyId || undefined,
    userId: userId || undefined,
    siteId: siteId || undefined,
    policyId: policyId || undefined,
    proxyId: proxyId || undefined,
    address,
    host,
    port,
    reason,
    count,
    visits: visits || undefined,
    up,
    down,
    client: client || undefined,
    at: at === 0 ? undefined : new Date(at).toISOString(),
  };
}

/** A batch of access records from one gateway, in the order in which the records were updated. */
export const RecordBatch = z.object({
  /**
   * The id of the gateway: a random UUID in its data folder.
   * @example 0b7f5d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11
   */
  gateway: z.uuid(),
  /**
   * The id of one run of the gateway's process. The first batch of a new run marks the open records of
   * earlier runs as interrupted.
   * @example 0b7f5d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11
   */
  run: z.uuid(),
  /** Consecutive number of the batch in the run of the gateway. A batch that is already stored changes nothing. */
  number: z.int().check(z.gte(1)),
  /** The records, each with its latest values. Earlier gateways send them in this form. */
  records: z.optional(z.array(GatewayRecord).check(z.maxLength(1_000))),
  /** The records, each with its latest values. */
  rows: z.optional(z.array(RecordRow).check(z.maxLength(1_000))),
});
export type RecordBatch = z.infer<typeof RecordBatch>;

/** The records of a batch of either form. */
export const recordsOf = ({ run, records = [], rows = [] }: RecordBatch): GatewayRecord[] => [
  ...records,
  ...rows.map((row) => recordOf(run, row)),
];

/** Store access records. The body may be compressed by gzip. A repeated batch is stored once. */
export const feedRecords = endpoint('POST /feed/records', { access: 'gateway', body: RecordBatch });
