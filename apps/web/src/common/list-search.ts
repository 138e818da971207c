import { limits } from '@propusk/contract/limits';
import { pageSizes } from '../ui/page-sizes.ts';

/** From the first of these days to the last; absent: without an end. */
export type Period = Pick<ListSearch, 'from' | 'to'>;

/** Where a list is, as the URL keeps it; what is default is left out. */
export interface ListSearch {
  page?: number;
  take?: number;
  name?: string;
  /** Days (yyyy-mm-dd), where the list is one of deeds. */
  from?: string;
  to?: string;
}

/** Reads a list's place from the URL. What people type there by hand and makes no sense is ignored. */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  const search: ListSearch = {};
  const page = Number(raw.page);
  const take = Number(raw.take);
  // Search values that look like numbers come as numbers.
  const name = typeof raw.name === 'number' ? String(raw.name) : raw.name;
  if (Number.isSafeInteger(page) && page > 1) search.page = page;
  if (pageSizes.includes(take) && take !== limits.page.take) search.take = take;
  if (typeof name === 'string' && name.trim()) search.name = name.trim().slice(0, limits.name);
  for (const end of ['from', 'to'] as const) {
    const day = raw[end];
    if (typeof day === 'string' && isDay(day)) search[end] = day;
  }
  return search;
}

/** A day that the calendar has, of a year that the server takes. */
function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const read = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text);
}
