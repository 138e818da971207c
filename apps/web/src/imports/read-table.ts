import Papa from 'papaparse';
import { readXlsx } from './read-xlsx.ts';
import { type Row, TableFault, tableLimits } from './table.ts';

/**
 * Reads the first sheet of an .xlsx file, or a text with columns separated by tabs, semicolons, commas or bars. The content decides
 * the format. Cells are plain text; formulas are not computed.
 * @param name the file's name
 * @returns the rows that are not empty, all with the same number of cells
 * @throws TableFault
 */
export function readTable(name: string, bytes: Uint8Array): Row[] {
  const starts = (...head: number[]) => head.every((byte, at) => bytes[at] === byte);
  if (bytes.length > tableLimits.bytes) throw new TableFault('too_large');
  // The compound file of Excel before 2007, which also holds an encrypted .xlsx file ([MS-CFB] section 2.2).
  if (starts(0xd0, 0xcf, 0x11, 0xe0)) throw new TableFault('old_excel');
  if (starts(0x50, 0x4b)) return tidy(readXlsx(bytes));
  if (/\.(xlsx?|ods)$/i.test(name)) throw new TableFault('broken');
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
  if (text.includes('\0')) throw new TableFault('not_a_table');
  // Excel writes and reads the line `sep=`.
  const [first = '', stated] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const head = /^.*\S.*$/m.exec(text.slice(first.length))?.[0].replace(/"[^"]*"/g, '') ?? '';
  const [usual] = ['\t', ';', ',', '|'].toSorted(
    (one, other) => head.split(other).length - head.split(one).length,
  );
  const { data, errors } = Papa.parse<string[]>(text.slice(first.length), {
    delimiter: stated ?? usual ?? ';',
    preview: tableLimits.records,
  });
  const quote = errors.find(({ type }) => type === 'Quotes');
  if (quote) throw new TableFault('open_quote', (quote.row ?? 0) + 1);
  if (data.length === tableLimits.records) throw new TableFault('too_many_rows');
  return data.map((cells, at) => ({ line: at + 1 + (first === '' ? 0 : 1), cells }));
}

/** Trims the cells and drops empty rows and the empty columns at the right. @throws TableFault */
function tidy(rows: readonly Row[]): Row[] {
  const found = rows
    // The file of refused rows has an apostrophe before texts that Excel could run as a formula. It is removed here.
    .map(({ line, cells }) => ({
      line,
      cells: cells.map((cell) => cell.trim().replace(/^'(?=[=+\-@])/, '')),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const width = Math.max(0, ...found.map(({ cells }) => cells.findLastIndex((cell) => cell !== '') + 1));
  const long = found.find(({ cells }) => cells.some((cell) => cell.length > tableLimits.cell));
  if (long) throw new TableFault('long_cell', long.line);
  if (found.length === 0) throw new TableFault('empty');
  if (found.length > tableLimits.rows) throw new TableFault('too_many_rows');
  if (width > tableLimits.columns) throw new TableFault('too_many_columns');
  return found.map(({ line, cells }) => ({
    line,
    cells: Array.from({ length: width }, (_, at) => cells[at] ?? ''),
  }));
}
