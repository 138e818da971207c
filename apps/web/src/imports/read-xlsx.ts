import { Unzip, UnzipInflate } from 'fflate';
import { Parser } from 'saxen';
import { type Row, TableFault, tableLimits } from './table.ts';

/** The bytes that are decompressed at once: deflate expands them to at most 8 MB. */
const CHUNK = 8 * 1024;
/** Reads the first visible sheet of an .xlsx file. @throws TableFault */
export function readXlsx(bytes: Uint8Array): Row[] {
  const book = extract(bytes, ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels']);
  let sheet: string | undefined;
  let target = '';
  walk(book['xl/workbook.xml'], (name, attrs) => {
    if (name === 'sheet' && attrs.state !== 'hidden') sheet ??= attrs['r:id'];
  });
  walk(book['xl/_rels/workbook.xml.rels'], (name, attrs) => {
    if (name === 'Relationship' && attrs.Id === sheet) target = attrs.Target ?? '';
  });
  const path = `xl/${target.replace(/^\/?(xl\/)?/, '')}`;
  const parts = extract(bytes, [path, 'xl/sharedStrings.xml']);
  return readSheet(parts[path], readStrings(parts['xl/sharedStrings.xml']));
}

/** Decompresses files of an archive. Counts the decompressed bytes, because the sizes that an archive states may be wrong. */
function extract(bytes: Uint8Array, names: readonly string[]): Record<string, string | undefined> {
  const parts: Record<string, string> = {};
  let size = 0;
  const unzip = new Unzip((file) => {
    const decoder = new TextDecoder();
    file.ondata = (error, data, final) => {
      if (error) throw error;
      size += data.length;
      if (size > tableLimits.xml) throw new TableFault('too_large');
      parts[file.name] = (parts[file.name] ?? '') + decoder.decode(data, { stream: !final });
    };
    if (names.includes(file.name)) file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += CHUNK)
      unzip.push(bytes.subarray(at, at + CHUNK), at + CHUNK >= bytes.length);
  } catch (error) {
    throw error instanceof TableFault ? error : new TableFault('broken');
  }
  return parts;
}

type Attributes = Readonly<Record<string, string | undefined>>;

/**
 * Calls functions for the tags and texts of an XML document. Names are passed without namespace prefixes. Entities other than
 * those of XML stay as they are.
 */
function walk(
  xml: string | undefined,
  open: (name: string, attrs: Attributes) => void,
  close: (name: string) => void = () => {},
  text: (value: string) => void = () => {},
): void {
  if (xml === undefined) throw new TableFault('broken');
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  try {
    new Parser()
      .on('openTag', (name, attrs) => open(local(name), attrs()))
      .on('closeTag', (name) => close(local(name)))
      .on('text', (value, decode) => text(String(decode?.(value))))
      .on('cdata', text)
      .parse(xml);
  } catch (error) {
    throw error instanceof TableFault ? error : new TableFault('broken');
  }
}

/** Reads the shared strings: the runs of a formatted text are joined, and phonetic hints are left out. */
function readStrings(xml = '<sst/>'): string[] {
  const strings: string[] = [];
  let inside = '';
  walk(
    xml,
    (name) => {
      if (name === 'si') strings.push('');
      if (name === 't' ? inside === '' : name === 'rPh') inside = name;
    },
    (name) => {
      if (name === inside) inside = '';
    },
    (value) => {
      if (inside === 't') strings[strings.length - 1] += value;
    },
  );
  return strings;
}

/** Reads the rows of a sheet. A date stays the day number that Excel stores, because no field of an import is a date. */
function readSheet(xml: string | undefined, strings: readonly string[]): Row[] {
  const rows: Row[] = [];
  let line = 0;
  let cells: string[] = [];
  let column = 0;
  let isShared = false;
  let value = '';
  let inValue = false;
  walk(
    xml,
    (name, { r, t }) => {
      if (name === 'row') {
        line = Number(r ?? line + 1);
        cells = [];
        column = 0;
      }
      if (name === 'c') {
        isShared = t === 's';
        value = '';
        column = r === undefined ? column + 1 : numberOf(r);
      }
      inValue = name === 'v' || name === 't';
    },
    (name) => {
      inValue = false;
      const text = isShared ? (strings[Number(value)] ?? '') : value;
      if (name === 'c' && text !== '') cells[column - 1] = text;
      if (name === 'row' && cells.length > 0)
        rows.push({ line, cells: Array.from(cells, (each) => each ?? '') });
      if (rows.length > tableLimits.rows) throw new TableFault('too_many_rows');
    },
    (text) => {
      if (inValue) value += text;
    },
  );
  return rows;
}

/** The number of a column from 1, by the reference of a cell, such as `AB12`. @throws TableFault beyond Excel's last column */
function numberOf(reference: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0];
  if (letters === undefined) throw new TableFault('broken');
  return letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
