import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { versioned } from './fields.ts';

/**
 * How a company lets client addresses be stored in its records of access. `network`: an IPv4 address without its last byte (/24), an
 * IPv6 address without all but its first 48 bits. @example full
 */
export const StoredAddresses = z.enum(['full', 'network', 'none']);
export type StoredAddresses = z.infer<typeof StoredAddresses>;

/** A number of days that records are kept. @example 30 */
const Days = z.int().check(z.gte(1), z.lte(366));

/** The settings of a company's records of access. */
export const RecordSettingsInput = z.object({
  /** How the gateway stores client addresses in new records. */
  addresses: StoredAddresses,
  /** How many days records are kept. Absent: as long as the platform keeps them. */
  retentionDays: z.optional(Days),
  /** Whether records keep the names of deleted users. False also removes those that are kept. */
  keepNames: z.boolean(),
  /** The time zone of the statistics' days (IANA). @example Europe/Moscow */
  timeZone: z.string().check(z.maxLength(60), z.regex(/^[A-Za-z0-9_+/-]+$/)),
});
export type RecordSettingsInput = z.infer<typeof RecordSettingsInput>;

/** The settings as they are in force, with the version of the company. */
export const RecordSettings = z.extend(RecordSettingsInput, {
  /** How many days records are kept; null for as long as the platform keeps them. @example 30 */
  retentionDays: z.nullable(Days),
  /** How many days the platform keeps records (`LOG_RETENTION`). @example 90 */
  platformDays: z.int(),
  ...versioned,
});
export type RecordSettings = z.infer<typeof RecordSettings>;

/** Get the settings of the records of access of the caller's company. */
export const recordSettings = endpoint({
  method: 'GET',
  path: '/company/records',
  access: ['CREATOR'],
  reply: RecordSettings,
  versioned: true,
  errors: ['no_company'],
});

/** Replace the settings of the records of access of the caller's company. Stored records keep the addresses that they have. */
export const setRecordSettings = endpoint({
  method: 'PUT',
  path: '/company/records',
  access: ['CREATOR'],
  body: RecordSettingsInput,
  reply: RecordSettings,
  versioned: true,
  errors: ['no_company', 'bad_input'],
});
