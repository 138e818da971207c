import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';

/** A row of a table: its number in the file from 1, and the texts of its cells. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The maximum number of non-empty rows, including the headings. */
export const MAX_ROWS = limits.objectsPerCompany + 1;

/** The error for a file that cannot be read as a table. Its message is a sentence for the user. */
export class TableFault extends Error {}

/** A field that a column of a table can hold. */
export interface Field<Key extends string = string> {
  readonly key: Key;
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
  if (rows.length === 0) throw new TableFault(t.imports.faults.empty);
  if (rows.length >= MAX_ROWS) throw new TableFault(t.imports.faults.tooManyRows);
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
