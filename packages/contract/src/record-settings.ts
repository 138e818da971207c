import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { IsoDate, MaybeProof, versioned } from './fields.ts';

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
  /** Whether records keep the names of deleted users. False, once in force, also removes those that are kept. */
  keepNames: z.boolean(),
  /** The time zone of the statistics' days (IANA). @example Europe/Moscow */
  timeZone: z.string().check(z.maxLength(60), z.regex(/^[A-Za-z0-9_+/-]+$/)),
});
export type RecordSettingsInput = z.infer<typeof RecordSettingsInput>;

/** The wanted settings, and the proof of a caller who shortens what is kept. */
export const RecordSettingsChange = z.extend(RecordSettingsInput, MaybeProof.shape);
export type RecordSettingsChange = z.infer<typeof RecordSettingsChange>;

/** Settings that remove stored records once they are in force. */
export const RecordCut = z.object({
  /** How many days records will be kept; null for as long as the platform keeps them. @example 7 */
  retentionDays: z.nullable(Days),
  /** Whether records will keep the names of deleted users. */
  keepNames: z.boolean(),
  /** When the settings come into force. */
  inForceAt: IsoDate,
  /** The owner who set them; empty when that account is gone. @example anna@example.ru */
  by: z.string(),
});
export type RecordCut = z.infer<typeof RecordCut>;

/** The settings as they are in force, with the version of the company. */
export const RecordSettings = z.extend(RecordSettingsInput, {
  /** How many days records are kept; null for as long as the platform keeps them. @example 30 */
  retentionDays: z.nullable(Days),
  /** How many days the platform keeps records (`LOG_RETENTION`). @example 90 */
  platformDays: z.int(),
  /** What comes into force later; null for nothing. */
  pending: z.nullable(RecordCut),
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

/**
 * Whether the wanted settings keep less than those in force.
 * @param platformDays how many days the platform keeps records
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
 * Replace the settings of the records of access of the caller's company. Stored records keep the addresses that they have. Fewer
 * days and no names need the caller's password, and code where there is a second factor. They come into force 72 hours later:
 * until then `pending` has them, the other owners get a mail, and a further call of any owner replaces or cancels them.
 */
export const setRecordSettings = endpoint({
  method: 'PUT',
  path: '/company/records',
  access: ['CREATOR'],
  proof: { of: 'everyone', fields: ['currentPassword'] },
  body: RecordSettingsChange,
  reply: RecordSettings,
  versioned: true,
  errors: ['no_company', 'bad_input', 'too_many_requests'],
});
