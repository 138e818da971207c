import { describe, expect, it } from 'vitest';
import { nextSort, type Sort, sorted } from './sort.ts';

interface Row {
  id: number;
  host: string;
}
const columns = [
  { key: 'host', sort: (one: Row, other: Row) => one.host.localeCompare(other.host) },
  { key: 'plain' },
];
const rows: readonly Row[] = [
  { id: 1, host: 'wiki' },
  { id: 2, host: 'crm' },
  { id: 3, host: 'crm' },
  { id: 4, host: 'admin' },
];
const ids = (sort: Sort) => sorted(rows, columns, sort).map(({ id }) => id);

describe('the sorting of a table', () => {
  it('three clicks on a header sort a table ascending, descending and in the original order', () => {
    const first = nextSort(null, 'host');
    const second = nextSort(first, 'host');
    const third = nextSort(second, 'host');
    expect([first, second, third]).toEqual([{ key: 'host', down: false }, { key: 'host', down: true }, null]);
    expect([first, second, third].map(ids)).toEqual([
      [4, 2, 3, 1],
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]);
  });
  it('a click on the header of another column sorts a table ascending', () => {
    expect(nextSort({ key: 'host', down: true }, 'plain')).toEqual({ key: 'plain', down: false });
  });
  it('sorted() does not mutate the rows, and ignores a column without a comparison', () => {
    const before = [...rows];
    ids({ key: 'host', down: false });
    expect(rows).toEqual(before);
    expect(ids({ key: 'plain', down: true })).toEqual([1, 2, 3, 4]);
    expect(ids({ key: 'none', down: false })).toEqual([1, 2, 3, 4]);
  });
  it('a descending sort reverses different rows and keeps the order of equal rows', () => {
    expect(
      sorted(
        [
          { id: 1, host: 'b' },
          { id: 2, host: 'a' },
          { id: 3, host: 'b' },
        ],
        columns,
        { key: 'host', down: true },
      ).map(({ id }) => id),
    ).toEqual([1, 3, 2]);
  });
});
