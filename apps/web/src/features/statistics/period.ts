import { type Period, parseListSearch } from '../../common/list-search.ts';

/** The interval at which the figures are read again. */
export const POLL_MS = 2000;
const DAY_MS = 86_400_000;
/** The longest period that the server takes, in days. */
const LONGEST = 366;

/** The browser's time zone (IANA). */
export const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

/** The chosen period: the last days, today included, or the days of its own. */
export interface PeriodSearch extends Period {
  days?: 1 | 30;
}

/** Reads the period from the URL and ignores invalid values. The default is seven days. */
export function parsePeriod(raw: Record<string, unknown>): PeriodSearch {
  const own = parseDays(raw);
  if (own.from || own.to) return own;
  return raw.days === 1 || raw.days === 30 ? { days: raw.days } : {};
}

/** Reads the days of a period from the URL. */
export function parseDays(raw: Record<string, unknown>): Period {
  return parseListSearch({ from: raw.from, to: raw.to });
}

/** The start of a day in the browser's time zone. @param more days to add */
export function startOf(day: string, more = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + more);
}

/** A day of the browser's time zone (yyyy-mm-dd). @param ago days before today */
export function dayAgo(ago: number): string {
  const now = new Date();
  const utc = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() - ago);
  return new Date(utc).toISOString().slice(0, 10);
}

/** The query of a period; null for one that is empty, unfinished or longer than a year. */
export function queryOf({ days = 7, ...own }: { days?: 1 | 7 | 30; from?: string; to?: string }) {
  const isOwn = own.from || own.to;
  const start = isOwn ? own.from : dayAgo(days - 1);
  const end = isOwn ? own.to : dayAgo(0);
  if (!start || !end) return null;
  const [from, to] = [startOf(start), startOf(end, 1)];
  const length = Math.round((to.getTime() - from.getTime()) / DAY_MS);
  if (length < 1 || length > LONGEST) return null;
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    step: length > 2 ? ('day' as const) : ('hour' as const),
    zone: timeZone,
  };
}
