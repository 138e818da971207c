import { dayAgo, dayOf, startOf } from '../../entities/company/zoned-days.ts';
import { type Period, parseListSearch } from '../../lists/list-search.ts';

/** Poll interval of the figures, in milliseconds. */
export const POLL_MS = 2000;
const DAY_MS = 86_400_000;
/** The longest period that the server accepts, in days. */
const LONGEST = 366;

/** The chosen period: the last `days` days including today, or with 'own' a custom period, whose ends may still be missing. */
export interface PeriodSearch extends Period {
  days?: 1 | 30 | 'own';
}

/** Reads the period from the URL and ignores invalid values. The default is seven days. */
export function parsePeriod(raw: Record<string, unknown>): PeriodSearch {
  const own = parseDays(raw);
  if (own.from || own.to || raw.days === 'own') return { days: 'own', ...own };
  return raw.days === 1 || raw.days === 30 ? { days: raw.days } : {};
}

/** Reads the days of a period from the URL. */
export function parseDays(raw: Record<string, unknown>): Period {
  return parseListSearch({ from: raw.from, to: raw.to });
}

/** The query parameters of the statistics of a period. */
export interface PeriodQuery {
  from: string;
  to: string;
  step: 'day' | 'hour';
}

/** The query parameters of the previous period, which has as many days. */
export function periodBefore({ from, to, step }: PeriodQuery, zone: string): PeriodQuery {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  return { from: startOf(dayOf(Date.parse(from), zone), zone, -days).toISOString(), to: from, step };
}

/** The query parameters of a period; null for a period that is empty, unfinished or longer than a year. */
export function queryOf(
  { days = 7, ...own }: { days?: 1 | 7 | 30 | 'own'; from?: string; to?: string },
  zone: string,
): PeriodQuery | null {
  const start = days === 'own' ? own.from : dayAgo(days - 1, zone);
  const end = days === 'own' ? own.to : dayAgo(0, zone);
  if (!start || !end) return null;
  const [from, to] = [startOf(start, zone), startOf(end, zone, 1)];
  const length = Math.round((to.getTime() - from.getTime()) / DAY_MS);
  if (length < 1 || length > LONGEST) return null;
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    step: length > 2 ? 'day' : 'hour',
  };
}
