import { limits } from '@propusk/contract/limits';
import { takes } from '../ui/takes.ts';

/** Where a list is, as the URL keeps it; what is default is left out. */
export interface ListSearch {
  page?: number;
  take?: number;
  name?: string;
}

/** Reads a list's place from the URL. What people type there by hand and makes no sense is ignored. */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  const search: ListSearch = {};
  const page = Number(raw.page);
  const take = Number(raw.take);
  // Search values that look like numbers come as numbers.
  const name = typeof raw.name === 'number' ? String(raw.name) : raw.name;
  if (Number.isSafeInteger(page) && page > 1) search.page = page;
  if (takes.includes(take) && take !== limits.page.take) search.take = take;
  if (typeof name === 'string' && name.trim()) search.name = name.trim().slice(0, limits.name);
  return search;
}
