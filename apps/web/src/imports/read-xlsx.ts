import * as t from '@propusk/phrases/console';
import { Unzip, UnzipInflate } from 'fflate';
import { Parser } from 'saxen';
import { MAX_ROWS, type Row, TableFault } from './table.ts';

const { faults } = t.imports;
/** The bytes that are decompressed at once: deflate expands them to at most 8 MB. */
const CHUNK = 8 * 1024;
/** The most bytes of XML that are read. */
const MAX_XML = 16 * 1024 * 1024;

/** Reads the first visible sheet of an .xlsx file. @throws TableFault */
export function readXlsx(bytes: Uint8Array): Row[] {
  try {
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
  } catch (error) {
    throw error instanceof TableFault ? error : new TableFault(faults.broken);
  }
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
      if (size > MAX_XML) throw new TableFault(faults.tooLarge);
      parts[file.name] = (parts[file.name] ?? '') + decoder.decode(data, { stream: !final });
    };
    if (names.includes(file.name)) file.start();
  });
  unzip.register(UnzipInflate);
  for (let at = 0; at < bytes.length; at += CHUNK)
    unzip.push(bytes.subarray(at, at + CHUNK), at + CHUNK >= bytes.length);
  return parts;
}

type Attributes = Readonly<Record<string, string | undefined>>;

/**
 * Calls functions for the tags of an XML document. Names are passed without namespace prefixes. `close` also gets the text of the
 * last shared string or cell: the content of its elements `t` and `v`, without phonetic hints and formulas. Entities other than
 * those of XML stay as they are.
 */
function walk(
  xml: string | undefined,
  open: (name: string, attrs: Attributes) => void,
  close: (name: string, text: string) => void = () => {},
): void {
  if (xml === undefined) throw new TableFault(faults.broken);
  let text = '';
  let inside = '';
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  const add = (value: string) => {
    if (inside === 't' || inside === 'v') text += value;
  };
  new Parser()
    .on('openTag', (tag, attrs) => {
      const name = local(tag);
      if (name === 'si' || name === 'c') text = '';
      if (inside !== 'rPh') inside = name;
      open(name, attrs());
    })
    .on('closeTag', (tag) => {
      const name = local(tag);
      if (inside !== 'rPh' || name === 'rPh') inside = '';
      close(name, text);
    })
    .on('text', (value, decode) => add(decode(value)))
    .on('cdata', add)
    .parse(xml);
}

function readStrings(xml = '<sst/>'): string[] {
  const strings: string[] = [];
  walk(
    xml,
    () => {},
    (name, text) => name === 'si' && strings.push(text),
  );
  return strings;
}

/** Reads the rows of a sheet. A date stays the day number that Excel stores, because no field of an import is a date. */
function readSheet(xml: string | undefined, strings: readonly string[]): Row[] {
  const rows: Row[] = [];
  let line = 0;
  let column = 0;
  let cells: string[] = [];
  let isShared = false;
  walk(
    xml,
    (name, { r, t: type }) => {
      if (name === 'row') [line, column, cells] = [Number(r ?? line + 1), 0, []];
      if (name !== 'c') return;
      isShared = type === 's';
      column = r === undefined ? column + 1 : numberOf(r);
    },
    (name, text) => {
      const value = isShared ? strings[Number(text)] : text;
      if (name === 'c' && value) cells[column - 1] = value;
      if (name !== 'row' || cells.length === 0) return;
      rows.push({ line, cells: Array.from(cells, (each) => each ?? '') });
      if (rows.length > MAX_ROWS) throw new TableFault(faults.tooManyRows);
    },
  );
  return rows;
}

/** The number of a column from 1, by the reference of a cell, such as `AB12`. @throws TableFault beyond Excel's last column */
function numberOf(reference: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0];
  if (letters === undefined) throw new TableFault(faults.broken);
  return letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
