import { type Row, TableFault, tableLimits } from './table.ts';

/** A field that a column of a table can hold. */
export interface Field {
  readonly key: string;
  readonly label: string;
  /** Matches the usual headings of the column. */
  readonly heading: RegExp;
  /** Matches the content of the column. A field with `content` is required: every table must have a column for it. */
  readonly content?: RegExp;
}

/** A table whose columns have fields. */
export interface Arranged {
  /** The heading of each column; empty texts when the table has no headings. */
  readonly headings: readonly string[];
  readonly rows: readonly Row[];
  /** The key of each column's field; empty for a column that is not imported. */
  readonly mapping: readonly string[];
}

/**
 * Guesses the fields of columns, by the headings in the first row and then by the content of at least half of the rows.
 * @throws TableFault when the table has no row below the headings, or too many
 */
export function arrange(table: readonly Row[], fields: readonly Field[]): Arranged {
  const first = table[0]?.cells ?? [];
  const fits = (test: (field: Field, cell: string) => boolean | undefined) =>
    first.some((cell) => fields.some((field) => test(field, cell)));
  const isHeaded =
    fits(({ heading }, cell) => heading.test(cell)) && !fits(({ content }, cell) => content?.test(cell));
  const headings = isHeaded ? first : first.map(() => '');
  const rows = table.slice(isHeaded ? 1 : 0);
  if (rows.length === 0) throw new TableFault('empty');
  if (rows.length >= tableLimits.rows) throw new TableFault('too_many_rows');
  const free = new Set(fields);
  const take = (isOf: (field: Field) => boolean) => {
    const field = [...free].find(isOf);
    if (field) free.delete(field);
    return field?.key ?? '';
  };
  const share = ({ content }: Field, at: number) =>
    rows.filter(({ cells }) => content?.test(cells[at] ?? '')).length / rows.length;
  const named = headings.map((cell) => take(({ heading }) => heading.test(cell)));
  return { headings, rows, mapping: named.map((key, at) => key || take((field) => share(field, at) >= 0.5)) };
}
