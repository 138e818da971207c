import type { VisitFilter } from '@propusk/contract/records';
import { dayAgo, startOf } from '../../entities/company/zoned-days.ts';
import type { Period } from '../../lists/list-search.ts';
import { parseDays } from './period.ts';

/** The filters of the access log, as URL search parameters. */
export interface LogSearch extends Period {
  user?: number;
  site?: number;
  result?: 'allowed' | 'refused';
  reason?: string;
  address?: string;
}

const DAY_MS = 86_400_000;
/** The longest period in which the server searches by result, reason or address, in days. */
const LONGEST = 31;

/** Reads the filters from the URL and ignores invalid values. A period too long for the search becomes the last 31 days. */
export function parseLog(raw: Record<string, unknown>, zone: string): LogSearch {
  const search: LogSearch = parseDays(raw);
  for (const key of ['user', 'site'] as const) {
    const id = Number(raw[key]);
    if (Number.isSafeInteger(id) && id > 0) search[key] = id;
  }
  if (raw.result === 'allowed' || raw.result === 'refused') search.result = raw.result;
  if (typeof raw.reason === 'string' && /^[a-z_]{1,40}$/.test(raw.reason)) search.reason = raw.reason;
  if (typeof raw.address === 'string' && /^[0-9a-f.:]{1,45}$/i.test(raw.address))
    search.address = raw.address;
  if (!(search.result || search.reason || search.address) || isShort(search)) return search;
  return { ...search, from: dayAgo(LONGEST - 1, zone), to: dayAgo(0, zone) };
}

function isShort({ from, to }: LogSearch): boolean {
  return from !== undefined && to !== undefined && (Date.parse(to) - Date.parse(from)) / DAY_MS < LONGEST;
}

/** The query parameters of the call that reads the access log. @param zone the time zone in which days begin */
export function logQuery({ from, to, ...rest }: LogSearch, zone: string): VisitFilter {
  return {
    ...rest,
    ...(from && { from: startOf(from, zone).toISOString() }),
    ...(to && { to: startOf(to, zone, 1).toISOString() }),
  };
}
