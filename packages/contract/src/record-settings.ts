import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate, MaybeProof, versioned } from './fields.ts';
import { ShownEmail } from './shown-email.ts';
import { Zone } from './times.ts';

/**
 * How much of a client address the company's access records store. `network`: only the first 24 bits of an
 * IPv4 address, or the first 48 bits of an IPv6 address.
 * @example full
 */
export const StoredAddresses = z.enum(['full', 'network', 'none']);
export type StoredAddresses = z.infer<typeof StoredAddresses>;

/** A number of days that records are kept. @example 30 */
const Days = z.int().check(z.gte(1), z.lte(366));

/** The settings for the access records of a company. */
export const RecordSettingsInput = z.object({
  /** How the gateway stores client addresses in new records. */
  addresses: StoredAddresses,
  /** How many days records are kept. If this field is absent, the limit of the platform applies. */
  retentionDays: z.optional(Days),
  /**
   * Whether records keep the names of deleted users. When a change to false takes effect, the names that
   * records already have are removed.
   */
  keepNames: z.boolean(),
  /** The time zone of the company, used for the days of the statistics and for the hours of policies. @example Europe/Moscow */
  timeZone: Zone,
});
export type RecordSettingsInput = z.infer<typeof RecordSettingsInput>;

/** The new settings. To shorten retention, the caller also re-authenticates. */
export const RecordSettingsChange = z.extend(RecordSettingsInput, MaybeProof.shape);
export type RecordSettingsChange = z.infer<typeof RecordSettingsChange>;

/** A pending change that shortens retention: records are kept for fewer days, or names of deleted users are no longer kept. */
export const RecordCut = z.object({
  /** How many days records will be kept; null if the limit of the platform applies. @example 7 */
  retentionDays: z.nullable(Days),
  /** Whether records will keep the names of deleted users. */
  keepNames: z.boolean(),
  /** The time when the change takes effect. */
  inForceAt: IsoDate,
  /** The owner who made the change; empty when the account is deleted. @example anna@example.ru */
  by: ShownEmail,
});
export type RecordCut = z.infer<typeof RecordCut>;

/** The access record settings that are in force, and the version of the company. */
export const RecordSettings = z.extend(RecordSettingsInput, {
  /** How many days records are kept; null if the limit of the platform applies. @example 30 */
  retentionDays: z.nullable(Days),
  /** How many days the platform keeps records (`LOG_RETENTION`). @example 90 */
  platformDays: z.int(),
  /** The pending change of these settings; null if no change is pending. */
  pending: z.nullable(RecordCut),
  ...versioned,
});
export type RecordSettings = z.infer<typeof RecordSettings>;

/** Get the access record settings of the caller's company. */
export const recordSettings = endpoint('GET /company/records', {
  access: ['CREATOR'],
  reply: RecordSettings,
  versioned: true,
  errors: ['no_company'],
});

/**
 * Compares new settings with those in force.
 * @param platformDays how many days the platform keeps records
 * @returns `days`: whether records would be kept for fewer days; `names`: whether names of deleted users would no longer be kept
 */
export function keepsLess(
  wanted: Pick<RecordSettingsInput, 'retentionDays' | 'keepNames'>,
  {
    retentionDays,
    keepNames,
    platformDays,
  }: Pick<RecordSettings, 'retentionDays' | 'keepNames' | 'platformDays'>,
): { days: boolean; names: boolean } {
  const days = (own: number | null | undefined) => Math.min(own ?? platformDays, platformDays);
  return {
    days: days(wanted.retentionDays) < days(retentionDays),
    names: keepNames && !wanted.keepNames,
  };
}

/**
 * Replace the access record settings of the caller's company. Addresses in stored records do not change. To
 * shorten retention (fewer days, or no names of deleted users), the caller sends the password, and the code
 * if the caller has a second factor. Shorter retention takes effect after 72 hours, and the other owners get
 * a mail. Until then the change is `pending`. Any owner can replace or cancel it with another call.
 */
export const setRecordSettings = endpoint('PUT /company/records', {
  access: ['CREATOR'],
  proof: { of: 'everyone', fields: ['currentPassword'] },
  body: RecordSettingsChange,
  reply: RecordSettings,
  versioned: true,
  errors: ['no_company', 'bad_input', 'too_many_requests'],
});
