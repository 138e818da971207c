import { limits } from '@propusk/contract/limits';
import type { imports } from '@propusk/phrases/console';

/** A row of a table: its number in the file from 1, and the texts of its cells. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

export const tableLimits = {
  /** The most bytes of a file, and of the XML that is read from an .xlsx file. */
  bytes: 10 * 1024 * 1024,
  xml: 16 * 1024 * 1024,
  /** The maximum number of non-empty rows, including the headings, and of lines in a text. */
  rows: limits.objectsPerCompany + 1,
  records: 10_000,
  columns: 50,
  /** The most characters of a cell. */
  cell: limits.description,
};

/** The error for a file that cannot be read as a table. */
export class TableFault extends Error {
  readonly code: keyof typeof imports.faults;
  /** The number of the row at fault. */
  readonly line: number;

  constructor(code: TableFault['code'], line = 0) {
    super(code);
    this.code = code;
    this.line = line;
  }
}
