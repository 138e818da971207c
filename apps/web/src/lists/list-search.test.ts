import { describe, expect, it } from 'vitest';
import { parseListSearch } from './list-search.ts';

describe('the search parameters of a list', () => {
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
    [{ from: '2026-03-02', to: '2026-02-30' }, { from: '2026-03-02' }],
    [{ protection: 'unchecked' }, { protection: 'unchecked' }],
    [
      { invited: 'true', confirmed: false },
      { invited: true, confirmed: false },
    ],
    [{ protection: '<b>', role: {}, access: '' }, {}],
    [{ from: '0001-01-01', to: 20260302 }, {}],
  ])('parseListSearch reads the search parameters %o as %o', (raw, search) => {
    expect(parseListSearch(raw)).toEqual(search);
  });
});
