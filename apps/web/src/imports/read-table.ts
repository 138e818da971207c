import { limits } from '@propusk/contract/limits';
import * as t from '@propusk/phrases/console';
import Papa from 'papaparse';
import { readXlsx } from './read-xlsx.ts';
import { MAX_ROWS, type Row, TableFault } from './table.ts';

const { faults } = t.imports;
/** The most bytes of a file, lines of a text, and columns. */
const MAX = { bytes: 10 * 1024 * 1024, lines: 10_000, columns: 50 };

/**
 * Reads the first sheet of an .xlsx file, or a text with columns separated by tabs, semicolons, commas or bars. The content decides
 * the format. Cells are plain text; formulas are not computed.
 * @param name the file's name
 * @returns the rows that are not empty, all with the same number of cells
 * @throws TableFault
 */
export function readTable(name: string, bytes: Uint8Array): Row[] {
  const starts = (...head: number[]) => head.every((byte, at) => bytes[at] === byte);
  if (bytes.length > MAX.bytes) throw new TableFault(faults.tooLarge);
  // The compound file of Excel before 2007, which also holds an encrypted .xlsx file ([MS-CFB] section 2.2).
  if (starts(0xd0, 0xcf, 0x11, 0xe0)) throw new TableFault(faults.oldExcel);
  if (starts(0x50, 0x4b)) return tidy(readXlsx(bytes));
  if (/\.(xlsx?|ods)$/i.test(name)) throw new TableFault(faults.broken);
  return tidy(readText(decode(bytes)));
}

/** Decodes UTF-8, UTF-16 with a byte order mark, or windows-1251, in which Excel saves CSV files in Russian. */
function decode(bytes: Uint8Array): string {
  const utf16 = { '255,254': 'utf-16le', '254,255': 'utf-16be' }[bytes.subarray(0, 2).join()];
  if (utf16 !== undefined) return new TextDecoder(utf16).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1251').decode(bytes);
  }
}

function readText(text: string): Row[] {
  if (text.includes('\0')) throw new TableFault(faults.notATable);
  // Excel writes and reads the line `sep=`.
  const [first = '', stated] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const head = /^.*\S.*$/m.exec(text.slice(first.length))?.[0].replace(/"[^"]*"/g, '') ?? '';
  const [usual = ';'] = ['\t', ';', ',', '|'].toSorted(
    (one, other) => head.split(other).length - head.split(one).length,
  );
  const { data, errors } = Papa.parse<string[]>(text.slice(first.length), {
    delimiter: stated ?? usual,
    preview: MAX.lines,
  });
  const quote = errors.find(({ type }) => type === 'Quotes');
  if (quote) throw new TableFault(faults.openQuote((quote.row ?? 0) + 1));
  if (data.length === MAX.lines) throw new TableFault(faults.tooManyRows);
  return data.map((cells, at) => ({ line: at + 1 + (first === '' ? 0 : 1), cells }));
}

/** Trims the cells and drops empty rows and the empty columns at the right. @throws TableFault */
function tidy(rows: readonly Row[]): Row[] {
  // The file of refused rows has an apostrophe before texts that Excel could run as a formula. It is removed here.
  const plain = (cell: string) => cell.trim().replace(/^'(?=[=+\-@])/, '');
  const found = rows
    .map(({ line, cells }) => ({ line, cells: cells.map(plain) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const width = Math.max(0, ...found.map(({ cells }) => cells.findLastIndex((cell) => cell !== '') + 1));
  const long = found.find(({ cells }) => cells.some((cell) => cell.length > limits.description));
  if (long) throw new TableFault(faults.longCell(long.line));
  if (found.length === 0) throw new TableFault(faults.empty);
  if (found.length > MAX_ROWS) throw new TableFault(faults.tooManyRows);
  if (width > MAX.columns) throw new TableFault(faults.tooManyColumns);
  return found.map((row) => ({
    ...row,
    cells: Array.from({ length: width }, (_, at) => row.cells[at] ?? ''),
  }));
}
