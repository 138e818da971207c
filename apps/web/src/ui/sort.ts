/** The column and direction that a table is sorted by; null for the original order of the rows. */
export type Sort = { key: string; down: boolean } | null;

/** The sorting after a click on a header: ascending, then descending, then none (spec section 4). */
export function nextSort(sort: Sort, key: string): Sort {
  if (sort?.key !== key) return { key, down: false };
  return sort.down ? null : { key, down: true };
}

/** Returns the rows in the given order without mutating `rows`. Equal rows keep their order. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly { key: string; sort?: (one: Row, other: Row) => number }[],
  sort: Sort,
): readonly Row[] {
  const compare = columns.find(({ key }) => key === sort?.key)?.sort;
  if (sort === null || compare === undefined) return rows;
  return rows.toSorted((one, other) => (sort.down ? compare(other, one) : compare(one, other)));
}
