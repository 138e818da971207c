import type { Policy } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { until, when } from '@propusk/phrases/when';
import type { Tone } from '../../ui/tags.tsx';
import { dayOf, startOf } from '../company/zoned-days.ts';

// A moment is a time in ISO 8601, a day (yyyy-mm-dd), or an empty text; see `Moment` of the contract. As an end, a day means its end.

/** The browser's time zone. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Converts a moment that is a time or a day to ms since 1970. */
export const instantOf = (moment: string, zone: string, isEnd = true): number =>
  moment.includes('T') ? Date.parse(moment) : startOf(moment, zone, isEnd ? 1 : 0).getTime();

/** The day (yyyy-mm-dd) that a field shows for a moment: for the end of a day, that day. Returns any other text unchanged. */
export const shownDay = (moment: string, zone: string, isEnd = true): string =>
  moment.includes('T') ? dayOf(Date.parse(moment) - (isEnd ? 1 : 0), zone) : moment;

/** Formats the day of a moment as dd.MM.yyyy. */
export const sayDay = (...moment: Parameters<typeof shownDay>): string =>
  shownDay(...moment)
    .split('-')
    .toReversed()
    .join('.');

/** Whether a time is in the past. */
export const isOver = (iso: string, now = Date.now()): boolean => Date.parse(iso) <= now;

type Timed = Pick<Policy, 'validFrom' | 'validUntil' | 'timeZone' | 'open' | 'changesAt'>;

/** Whether a policy is open: a sentence for a form, and a short text for a list, which is empty for a policy without times. */
export function stateOf(policy: Timed, now = Date.now()): { sentence: string; short: string; tone: Tone } {
  const { validFrom, validUntil, timeZone, open, changesAt } = policy;
  const end = validUntil && sayDay(validUntil, timeZone);
  if (end && isOver(validUntil, now))
    return { sentence: t.times.overSince(end), short: t.times.over, tone: 'bad' };
  if (validFrom && !isOver(validFrom, now)) {
    const day = sayDay(validFrom, timeZone, false);
    return { sentence: t.times.begins(day), short: t.times.since(day), tone: 'warning' };
  }
  const change = changesAt !== validUntil && changesAt;
  const lasts = end ? t.times.to(end) : '';
  const tone = open ? 'neutral' : 'warning';
  if (!change) return { sentence: t.times[open ? 'openNow' : 'closedNow'](lasts), short: lasts, tone };
  const [at, till] = [when(change, new Date(now)), until(change, new Date(now))];
  if (open) return { sentence: t.times.closes(at), short: lasts || t.times.openUntil(till), tone };
  return { sentence: t.times.opens(at), short: t.times.closedUntil(till), tone };
}

/** The earliest end of a user's memberships. */
export const nearestEnd = (members: readonly { until: string | null }[]): string | undefined =>
  members.flatMap(({ until }) => until ?? []).toSorted()[0];
