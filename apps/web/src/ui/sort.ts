/** Which column a table is sorted by, and which way; null is the order that its rows came in. */
export type Sort = { key: string; down: boolean } | null;

/** Spec section 4: a click on a header sorts up, the next one down, the third one clears. Another header begins anew. */
export function nextSort(sort: Sort, key: string): Sort {
  if (sort?.key !== key) return { key, down: false };
  return sort.down ? null : { key, down: true };
}

/** The rows in the order that is asked for; the ones that came are left as they are, and equal ones keep their order. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly { key: string; sort?: (one: Row, other: Row) => number }[],
  sort: Sort,
): readonly Row[] {
  const compare = columns.find(({ key }) => key === sort?.key)?.sort;
  if (sort === null || compare === undefined) return rows;
  return rows.toSorted((one, other) => (sort.down ? compare(other, one) : compare(one, other)));
}
