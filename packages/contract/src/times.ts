import * as z from 'zod/mini';
import { Id, IsoDate } from './fields.ts';
import { issue } from './issues.ts';
import { limits } from './limits.ts';

/** The number of minutes in a week. */
const WEEK = 10_080;

// A schema of tuples would add a kilobyte to the first screen of the console.
const Pair = z.array(z.int()) as unknown as z.ZodMiniType<[number, number], [number, number]>;

/**
 * Weekly windows, as pairs of minutes since Monday 0:00, the end above the start. The start belongs to a window, the end does not.
 * An end above 10,080 is in the next week. An empty list in requests and replies means always.
 * @example [[540, 1080]]
 */
export const Windows = z.array(Pair).check(
  z.maxLength(50),
  z.refine((all) =>
    all.every((pair) => {
      const [start, end] = pair;
      return pair.length === 2 && start >= 0 && start < WEEK && end > start && end <= start + WEEK;
    }),
  ),
);

/** The name of a time zone (IANA). @example Europe/Moscow */
export const Zone = z.string().check(z.maxLength(60), z.regex(/^[A-Za-z0-9_+/-]+$/));

/**
 * A time in UTC, or a day. If it is an end, a day means the end of that day; if it is a start, the start of that day. Days are in
 * the time zone of the policy, or else of the company. The year is 1970 or later. An empty text means no such time.
 * @example 2026-12-31
 */
export const Moment = z.string().check(
  z.regex(
    /^$|^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?Z)?$/,
  ),
  z.refine((moment) => moment === '' || isOfCalendar(moment), issue('no_such_day')),
);

/** Rejects days that do not exist: JavaScript reads 30 February as 2 March (1 March in a leap year). */
export function isOfCalendar(moment: string): boolean {
  const day = moment.slice(0, 'YYYY-MM-DD'.length);
  const read = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day);
}

/** The end of a membership of a policy. */
const End = z.object({
  /** In a call on a policy: the id of the user. In a call on a user: the id of the policy. */
  id: Id,
  /** The membership ends at this time; empty for never. */
  until: Moment,
});

/**
 * The ends of memberships to change, each id at most once. A membership that is not listed keeps its end.
 * @example [{"id": 7, "until": "2026-12-31"}]
 */
export const Ends = z.optional(
  z.array(End).check(
    z.maxLength(limits.objectsPerCompany),
    z.refine((ends) => new Set(ends.map(({ id }) => id)).size === ends.length, issue('repeated')),
  ),
);
export type Ends = z.infer<typeof Ends>;

/** The times of a policy, as sent in a request. Absent fields stay unchanged; an empty value removes a time. */
export const timesInput = {
  /** The policy is in force from this time on. */
  validFrom: z.optional(Moment),
  /** The policy is in force before this time. */
  validUntil: z.optional(Moment),
  /** The policy is open only in these windows. */
  windows: z.optional(Windows),
  /** The time zone of windows and days; empty for the time zone of the company. */
  zone: z.optional(z.union([z.literal(''), Zone])),
};
/** The times in a request. */
export type TimesInput = {
  readonly [Field in keyof typeof timesInput]?: z.infer<(typeof timesInput)[Field]>;
};

/** The times of a policy, in a reply. */
export const timesOutput = {
  /** The policy is in force from this time on; null if the policy has no start. */
  validFrom: z.nullable(IsoDate),
  /** The policy is in force before this time; null without an end. */
  validUntil: z.nullable(IsoDate),
  /** The policy is open only in these windows. */
  windows: Windows,
  /** The policy's own time zone; null for the time zone of the company. */
  zone: z.nullable(Zone),
  /** The time zone in which the windows are read. */
  timeZone: Zone,
  /** Whether the times allow access now. */
  open: z.boolean(),
  /** The next time at which `open` can change; null for never. */
  changesAt: z.nullable(IsoDate),
};

/** The filter of lists by the end of access: within a week, within a month, or in the past. */
export const EndFilter = z.optional(z.enum(['week', 'month', 'past']));
export type EndFilter = z.infer<typeof EndFilter>;
