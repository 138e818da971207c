import * as t from '@propusk/phrases/console';

/** Weekly windows as in the contract: pairs of minutes since Monday 0:00. An empty list means always. */
export type Windows = [start: number, end: number][];

const DAY = 1440;
const WEEK = 7 * DAY;
const HOURS = 168;

/** Monday to Friday, 9:00 to 18:00. */
export const workingHours: Windows = [0, 1, 2, 3, 4].map((day) => [day * DAY + 540, day * DAY + 1080]);

const isWhole = (window: Windows[number]) => window.every((edge) => edge % 60 === 0);

/** The windows that a grid of hours cannot show, because an edge is not at a full hour. */
export const oddOf = (windows: Windows | null): Windows => (windows ?? []).filter((one) => !isWhole(one));

/** For each hour of the week, whether the windows of full hours cover it. @param windows null for no hours at all */
export function hoursOf(windows: Windows | null): boolean[] {
  const whole = (windows ?? []).filter(isWhole);
  return Array.from({ length: HOURS }, (_, hour) =>
    windows?.length === 0
      ? true
      : whole.some(([start, end]) => [hour * 60, hour * 60 + WEEK].some((at) => at >= start && at < end)),
  );
}

/** Builds windows from the given hours, and adds the windows that the grid cannot show. @returns null for no hours at all */
export function windowsOf(hours: readonly boolean[], odd: Windows): Windows | null {
  if (hours.every(Boolean)) return [];
  const isOpen = (hour: number) => hours[(hour + HOURS) % HOURS] === true;
  const windows = hours.flatMap((open, start): Windows => {
    if (!open || isOpen(start - 1)) return [];
    let end = start;
    while (isOpen(end)) end += 1;
    return [[start * 60, end * 60]];
  });
  const all = [...windows, ...odd];
  return all.length === 0 ? null : all;
}

/** Opens or closes the hours of a rectangle whose corners are two hours of the week. */
export function painted(hours: readonly boolean[], from: number, to: number, open: boolean): boolean[] {
  const isBetween = (n: number, a: number, b: number) => n >= Math.min(a, b) && n <= Math.max(a, b);
  const day = (hour: number) => Math.floor(hour / 24);
  return hours.map((was, at) =>
    isBetween(day(at), day(from), day(to)) && isBetween(at % 24, from % 24, to % 24) ? open : was,
  );
}

const clock = (minute: number) => `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`;
const dayName = (day: number) => t.times.days[day % 7] ?? '';

/** The hours of windows as a text, in which days with the same hours are grouped. */
export function sayWindows(windows: Windows): string {
  if (windows.length === 0) return t.times.always;
  const days = new Map<number, string[]>();
  for (const [start, end] of windows.toSorted((a, b) => a[0] - b[0])) {
    const day = Math.floor(start / DAY);
    const stop = end - day * DAY;
    const other = end - start > DAY && stop > DAY ? `${dayName(Math.ceil(end / DAY) - 1)} ` : '';
    const text = `${clock(start % DAY)}–${other}${clock(stop <= DAY ? stop : end % DAY || DAY)}`;
    days.set(day, [...(days.get(day) ?? []), text]);
  }
  const lines: { first: number; last: number; text: string }[] = [];
  for (const [day, texts] of days) {
    const text = texts.join(', ');
    const before = lines.at(-1);
    if (before?.last === day - 1 && before.text === text) before.last = day;
    else lines.push({ first: day, last: day, text });
  }
  return lines
    .map(({ first, last, text }) => `${dayName(first)}${last > first ? `–${dayName(last)}` : ''} ${text}`)
    .join('; ');
}
