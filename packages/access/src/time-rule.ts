import type { RightTimes } from '@propusk/contract/feed';

/**
 * The times of a right: an interval of instants, and weekly windows in the local time of a zone.
 *
 * Intervals are half-open: `from` belongs to them, `until` does not. Windows are in minutes of the wall clock. An edge of
 * a window in a local time that a change of the offset skips moves to the next existing minute. A repeated hour belongs to a window both times. A window over
 * midnight belongs to the day on which it begins. A zone that this system does not know denies.
 */

/** Why a right is not open. */
export type TimeReason = 'not_yet' | 'right_ended' | 'outside_hours' | 'clock_unknown';

/** Whether a right is open, and the first later moment at which that can change, in ms since 1970; infinite for never. */
export type TimeState = { readonly until: number } & (
  | { readonly open: true }
  | { readonly open: false; readonly reason: TimeReason }
);

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** The number of minutes in a week. */
const WEEK = 10_080;
/** 1970 began on a Thursday. */
const FIRST_DAY_MS = 3 * DAY_MS;
/**
 * How many days ahead to search for the next change: seven, because windows repeat weekly, and one, because a change of the
 * offset can move a window by as much.
 */
const MOST_DAYS = 8;

const unknownClock: TimeState = { open: false, reason: 'clock_unknown', until: Number.POSITIVE_INFINITY };
const ended: TimeState = { open: false, reason: 'right_ended', until: Number.POSITIVE_INFINITY };

/** Decides whether a right is open at a moment. It caches its last answer with the interval in which that answer is valid. */
export class TimeRule {
  readonly #from: number;
  readonly #until: number;
  readonly #windows: RightTimes['windows'];
  readonly #zone: Intl.DateTimeFormat | null;
  /** The last answer, and the interval in which it is valid. */
  #state: TimeState = unknownClock;
  #since = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  constructor({ from, until, zone, windows }: RightTimes) {
    this.#from = from ?? Number.NEGATIVE_INFINITY;
    this.#until = until ?? Number.POSITIVE_INFINITY;
    this.#zone = windows === null ? null : zoneOf(zone);
    const merged = windows && disjoint(windows);
    // Windows that cover the whole week never close, if the zone is known.
    const isAlways = this.#zone !== null && merged?.every(([, end]) => covers(merged, end % WEEK));
    this.#windows = isAlways && merged?.length ? null : merged;
  }

  /** @param now in ms since 1970; NaN when it is not known */
  at(now: number): TimeState {
    if (now >= this.#since && now < this.#to) return this.#state;
    if (Number.isNaN(now)) return unknownClock;
    // Whole milliseconds: the search for a change of the offset halves intervals of them.
    this.#since = Math.floor(now);
    this.#state = this.#stateAt(this.#since);
    this.#to = this.#state.until;
    return this.#state;
  }

  #stateAt(now: number): TimeState {
    if (now >= this.#until) return ended;
    if (now < this.#from) return { open: false, reason: 'not_yet', until: Math.min(this.#from, this.#until) };
    if (this.#windows === null) return { open: true, until: this.#until };
    if (this.#zone === null) return { open: false, reason: 'outside_hours', until: this.#until };
    const until = Math.min(this.#until, nextChange(this.#windows, this.#zone, now));
    return isOpen(this.#windows, localTime(this.#zone, now))
      ? { open: true, until }
      : { open: false, reason: 'outside_hours', until };
  }
}

/** Merges windows that overlap or touch. */
function disjoint(windows: NonNullable<RightTimes['windows']>): NonNullable<RightTimes['windows']> {
  const merged: [number, number][] = [];
  for (const [start, end] of windows.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** The formats that give the local time of a zone, by its name in lower case. */
// Grows with the zones of companies. Bound: the names of ICU, about 600, and null for each unknown name that a snapshot holds. At the
// bound: it is emptied at 2,000
const zones = new Map<string, Intl.DateTimeFormat | null>();

/** @returns null for a zone that this system does not know */
function zoneOf(given: string): Intl.DateTimeFormat | null {
  const name = given.toLowerCase();
  const known = zones.get(name);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat | null = null;
  try {
    // A fixed offset such as +01:23 is no name of a zone.
    if (/^[a-z]/.test(name))
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        hourCycle: 'h23',
        ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
        ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
      });
  } catch {
    // An unknown zone denies.
  }
  if (zones.size >= 2_000) zones.clear();
  zones.set(name, format);
  return format;
}

/** The wall clock of a zone, as the instant at which UTC shows the same. */
function localTime(zone: Intl.DateTimeFormat, now: number): number {
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of zone.formatToParts(now)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (now % 1_000);
}

/** The minute of the week, from Monday 0:00. */
const minuteOf = (local: number) => Math.floor((local + FIRST_DAY_MS) / MINUTE_MS) % WEEK;

const isOpen = (windows: NonNullable<RightTimes['windows']>, local: number) =>
  covers(windows, minuteOf(local));

/** Whether windows cover a minute of the week. */
function covers(windows: NonNullable<RightTimes['windows']>, minute: number): boolean {
  return windows.some(
    ([start, end]) => (minute >= start && minute < end) || (minute + WEEK >= start && minute + WEEK < end),
  );
}

/**
 * The first moment after `now` at which the windows open or close. Goes from edge to edge; where the offset of the zone changes
 * before the next edge, also to the moment of that change.
 * @returns ms since 1970; when nothing changes within eight days, the end of this search, at which the caller looks again
 */
function nextChange(
  windows: NonNullable<RightTimes['windows']>,
  zone: Intl.DateTimeFormat,
  now: number,
): number {
  const open = isOpen(windows, localTime(zone, now));
  const last = now + MOST_DAYS * DAY_MS;
  for (let at = now; at < last; ) {
    const local = localTime(zone, at);
    const offset = local - at;
    const next = Math.min(at + untilEdge(windows, local), at + DAY_MS);
    at = localTime(zone, next) - next === offset ? next : offsetChange(zone, at, next, offset);
    if (isOpen(windows, localTime(zone, at)) !== open) return at;
  }
  return last;
}

/** Milliseconds from a local time to the next edge of a window, if the offset stays. */
function untilEdge(windows: NonNullable<RightTimes['windows']>, local: number): number {
  const minute = minuteOf(local);
  let least = WEEK;
  for (const edge of windows.flat()) least = Math.min(least, ((edge - minute + 2 * WEEK - 1) % WEEK) + 1);
  return least * MINUTE_MS - (local % MINUTE_MS);
}

/** The moment in (`from`, `to`] from which the offset is another one, by bisection. */
function offsetChange(zone: Intl.DateTimeFormat, from: number, to: number, offset: number): number {
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localTime(zone, middle) - middle === offset) before = middle;
    else after = middle;
  }
  return after;
}
