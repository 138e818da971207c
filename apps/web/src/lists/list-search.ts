import { limits } from '@propusk/contract/limits';
import { isDay } from '../ui/day.tsx';
import { pageSizes } from '../ui/page-sizes.ts';

/** A period of days, both ends included. Without `from` or `to` the period has no start or no end. */
export type Period = Pick<ListSearch, 'from' | 'to'>;

/** The filters of lists, as URL search parameters. */
const filterKeys = [
  'protection',
  'access',
  'visited',
  'policy',
  'role',
  'invited',
  'suspended',
  'confirmed',
  'action',
  'ends',
  'extension',
] as const;
export type FilterKey = (typeof filterKeys)[number];

/** The state of a list as URL search parameters. Default values are left out. */
export interface ListSearch extends Partial<Record<FilterKey, string | number | boolean>> {
  page?: number;
  take?: number;
  name?: string;
  /** Days (yyyy-mm-dd), for a list of audit events. */
  from?: string;
  to?: string;
}

/** Reads a list's state from the URL and ignores invalid values. */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  const search: ListSearch = {};
  const page = Number(raw.page);
  const take = Number(raw.take);
  // The router parses search values that look like numbers into numbers.
  const name = typeof raw.name === 'number' ? String(raw.name) : raw.name;
  if (Number.isSafeInteger(page) && page > 1) search.page = page;
  if (pageSizes.includes(take) && take !== limits.page.take) search.take = take;
  if (typeof name === 'string' && name.trim()) search.name = name.trim().slice(0, limits.name);
  for (const key of filterKeys) {
    const value = raw[key];
    // The router writes and reads the texts true and false as booleans, and digits as a number.
    if (value === 'true' || value === 'false') search[key] = value === 'true';
    else if (typeof value === 'boolean' || (typeof value === 'string' && /^[a-z_]{1,40}$/i.test(value)))
      search[key] = value;
    else if (key === 'policy' && Number.isSafeInteger(Number(value)) && Number(value) > 0)
      search[key] = Number(value);
  }
  for (const end of ['from', 'to'] as const) {
    const day = raw[end];
    if (typeof day === 'string' && isDay(day)) search[end] = day;
  }
  return search;
}
