import { describe, expect, it } from 'vitest';
import { parseListSearch } from './list-search.ts';

describe('parseListSearch', () => {
  it.each([
    [{}, {}],
    [{ page: 1, take: 10, name: '' }, {}],
    [
      { page: '3', take: '50', name: ' иван ' },
      { page: 3, take: 50, name: 'иван' },
    ],
    [{ name: 2024 }, { name: '2024' }],
    [{ page: -1, take: 7, name: {} }, {}],
    [{ page: 1.5, take: 1e9 }, {}],
  ])('%o', (raw, search) => {
    expect(parseListSearch(raw)).toEqual(search);
  });
});
