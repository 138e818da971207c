// oxlint-disable-next-line no-restricted-imports -- one test reads the memory of a process
import { execFileSync } from 'node:child_process';
import * as t from '@propusk/phrases/console';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readTable } from './read-table.ts';
import { TableFault } from './table.ts';

const { faults } = t.imports;

/** Files from users: spreadsheets, texts, and files that were made to break a reader. */

const utf8 = (text: string) => new TextEncoder().encode(text);
const joined = (...parts: (Uint8Array | number[])[]) => Uint8Array.from(parts.flatMap((part) => [...part]));
const utf16 = (text: string, little: boolean) => {
  const bytes = new Uint8Array(Buffer.from(text, 'utf16le'));
  return joined(little ? [0xff, 0xfe] : [0xfe, 0xff], little ? bytes : Buffer.from(bytes).swap16());
};
/** Encodes Cyrillic letters and ASCII as windows-1251. */
const windows1251 = (text: string) =>
  Uint8Array.from(text, (sign) => {
    const code = sign.charCodeAt(0);
    return code < 0x80 ? code : code - 0x410 + 0xc0;
  });

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const WORKBOOK = `<workbook xmlns="${MAIN}" xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`;
const RELATIONS = '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>';
const sheetOf = (rows: string) => `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`;

/** Makes an .xlsx file. @param more further files of the archive, or other contents of the usual ones */
function xlsx(rows: string, more: Record<string, string> = {}): Uint8Array {
  const files = {
    'xl/workbook.xml': WORKBOOK,
    'xl/_rels/workbook.xml.rels': RELATIONS,
    'xl/worksheets/sheet1.xml': sheetOf(rows),
    ...more,
  };
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}

const inline = (...cells: string[]) =>
  `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`;

/** Changes the sizes that the headers of an archive state. */
function lying(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 30 < bytes.length; at++) {
    const signature = view.getUint32(at, true);
    if (signature === 0x04034b50) view.setUint32(at + 22, 10, true);
    if (signature === 0x02014b50) view.setUint32(at + 24, 10, true);
  }
  return bytes;
}

const rows = (name: string, bytes: Uint8Array) => readTable(name, bytes).map(({ cells }) => cells);
function outcome(name: string, bytes: Uint8Array): unknown {
  try {
    return rows(name, bytes);
  } catch (error) {
    if (error instanceof TableFault) return error.message;
    throw error;
  }
}

const table = [
  ['Почта', 'Имя'],
  ['anna@a.test', 'Анна'],
];
const text = 'Почта;Имя\r\nanna@a.test;Анна\r\n';
const person = inline('anna@a.test', 'Анна');
const shared = `<sst><si><t>anna@a.test</t></si><si><r><rPr/><t>Ан</t></r><r><t xml:space="preserve">на</t></r><rPh><t>ANNA</t></rPh></si></sst>`;

test.each<[title: string, name: string, bytes: Uint8Array, expected: unknown]>([
  ['semicolons', 'a.csv', utf8(text), table],
  ['commas and quotes', 'a.csv', utf8('"Почта","Имя"\n"anna@a.test","Анна"'), table],
  ['tabs', 'a.tsv', utf8('Почта\tИмя\nanna@a.test\tАнна'), table],
  ['bars', 'a.txt', utf8('Почта|Имя\nanna@a.test|Анна'), table],
  ['the line sep=', 'a.csv', utf8(`sep=;\r\n${text}`), table],
  ['a byte order mark', 'a.csv', joined([0xef, 0xbb, 0xbf], utf8(text)), table],
  ['windows-1251', 'a.csv', windows1251(text), table],
  ['UTF-16, little endian', 'a.csv', utf16(text, true), table],
  ['UTF-16, big endian', 'a.csv', utf16(text, false), table],
  ['UTF-16 without a byte order mark', 'a.csv', utf16(text, true).subarray(2), faults.notATable],
  ['one byte that is not UTF-8', 'a.csv', joined(utf8('a@a.test;Anna '), [0xff]), [['a@a.test', 'Anna я']]],
  ['a line break in quotes', 'a.csv', utf8('a@a.test;"Anna\nB"'), [['a@a.test', 'Anna\nB']]],
  ['a quote that is not closed', 'a.csv', utf8('a@a.test;A\nb@a.test;"B\nc@a.test;C'), faults.openQuote(2)],
  ['a quote inside a cell', 'a.csv', utf8('a@a.test;O"Brien'), [['a@a.test', 'O"Brien']]],
  ['formulas', 'a.csv', utf8(`=1+1;@x;+7;-1;'=2`), [['=1+1', '@x', '+7', '-1', '=2']]],
  ['HTML', 'a.csv', utf8('<img src=x onerror=alert(1)>;b'), [['<img src=x onerror=alert(1)>', 'b']]],
  ['NUL bytes', 'a.csv', utf8('a\0b;c'), faults.notATable],
  ['no bytes', 'a.csv', utf8(''), faults.empty],
  ['only blank lines', 'a.csv', utf8(' ;\n;;\n'), faults.empty],
  ['only headings', 'a.csv', utf8('Почта;Имя'), [['Почта', 'Имя']]],
  [
    'rows of different lengths',
    'a.csv',
    utf8('a;b;c\nd\n;;\ne;f'),
    [
      ['a', 'b', 'c'],
      ['d', '', ''],
      ['e', 'f', ''],
    ],
  ],
  ['empty columns at the right', 'a.csv', utf8(`a;b${';'.repeat(2_000)}`), [['a', 'b']]],
  ['2,000 columns', 'a.csv', utf8('a;'.repeat(2_000)), faults.tooManyColumns],
  ['a cell of 9 MB', 'a.csv', utf8(`a@a.test;${'x'.repeat(9_000_000)}`), faults.longCell(1)],
  ['a file above 10 MB', 'a.csv', new Uint8Array(10_500_000), faults.tooLarge],
  ['a million lines', 'a.csv', utf8('a@a.test\n'.repeat(1_000_000)), faults.tooManyRows],
  ['a million blank lines', 'a.csv', utf8('\n'.repeat(1_000_000)), faults.tooManyRows],
  ['an .xlsx file', 'a.xlsx', xlsx(inline('Почта', 'Имя') + person), table],
  ['an .xlsx file named .csv', 'a.csv', xlsx(person), [table[1]]],
  [
    'shared strings with runs',
    'a.xlsx',
    xlsx('<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>9</v></c></row>', {
      'xl/sharedStrings.xml': shared,
    }),
    [table[1]],
  ],
  [
    'numbers, formulas, errors and booleans',
    'a.xlsx',
    xlsx(
      '<row><c><v>42</v></c><c s="1"><v>0.30000000000000004</v></c><c t="str"><f>A1&amp;"x"</f><v>42x</v></c><c t="e"><v>#N/A</v></c><c t="b"><v>1</v></c></row>',
    ),
    [['42', '0.30000000000000004', '42x', '#N/A', '1']],
  ],
  [
    'merged cells, gaps and a prefix of the namespace',
    'a.xlsx',
    xlsx('', {
      'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x="${MAIN}"><x:sheetData><x:row r="3"><x:c r="B3" t="str"><x:v>a</x:v></x:c><x:c r="D3"/></x:row><x:row r="7"><x:c r="A7"><x:v>7</x:v></x:c></x:row></x:sheetData><x:mergeCells><x:mergeCell ref="B3:D3"/></x:mergeCells></x:worksheet>`,
    }),
    [
      ['', 'a'],
      ['7', ''],
    ],
  ],
  [
    'the first sheet is hidden',
    'a.xlsx',
    xlsx(inline('hidden'), {
      'xl/workbook.xml': WORKBOOK.replace(
        '<sheet name',
        '<sheet name="H" state="hidden" r:id="rId1"/><sheet name',
      ).replace('"rId1"/></sheets>', '"rId2"/></sheets>'),
      'xl/_rels/workbook.xml.rels': RELATIONS.replace(
        '</R',
        '<Relationship Id="rId2" Target="/xl/worksheets/other.xml"/></R',
      ),
      'xl/worksheets/other.xml': sheetOf(person),
    }),
    [table[1]],
  ],
  ['text that is named .xlsx', 'a.xlsx', utf8(text), faults.broken],
  [
    'an encrypted .xlsx or an old .xls file',
    'a.xlsx',
    joined([0xd0, 0xcf, 0x11, 0xe0], new Uint8Array(600)),
    faults.oldExcel,
  ],
  ['an .ods file', 'a.ods', zipSync({ 'content.xml': strToU8('<office/>') }), faults.broken],
  ['half of an .xlsx file', 'a.xlsx', xlsx(person.repeat(50)).subarray(0, 300), faults.broken],
  [
    'random bytes in an archive',
    'a.xlsx',
    joined([0x50, 0x4b, 3, 4], new Uint8Array(500).fill(7)),
    faults.broken,
  ],
  ['XML that does not end', 'a.xlsx', xlsx('<row><c><v>1'), faults.broken],
  [
    'a reference of a cell that is none',
    'a.xlsx',
    xlsx('<row><c r="ZZZZZ1"><v>1</v></c></row>'),
    faults.broken,
  ],
  [
    'a reference of a far column',
    'a.xlsx',
    xlsx('<row><c r="XFD1"><v>1</v></c></row>'),
    faults.tooManyColumns,
  ],
  [
    'an external entity and nested entities',
    'a.xlsx',
    xlsx('', {
      'xl/worksheets/sheet1.xml': `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>${sheetOf(inline('&f;&b;', 'b'))}`,
    }),
    [['&f;&b;', 'b']],
  ],
  ['a million rows', 'a.xlsx', xlsx('<row><c><v>1</v></c></row>'.repeat(500_000)), faults.tooManyRows],
  ['a million empty rows', 'a.xlsx', xlsx('<row/>'.repeat(1_000_000) + person), [table[1]]],
])('%s', (_, name, bytes, expected) => {
  const before = performance.now();
  expect(outcome(name, bytes)).toEqual(expected);
  // A page that reads a file must not freeze. The bound has room for a machine that is ten times slower.
  expect(performance.now() - before).toBeLessThan(5_000);
});

test('a row keeps the number that it has in the file', () => {
  expect(readTable('a.csv', utf8('a\n\nb')).map(({ line }) => line)).toEqual([1, 3]);
  const spaced = xlsx('<row r="2"><c><v>1</v></c></row><row r="9"><c><v>2</v></c></row>');
  expect(readTable('a.xlsx', spaced).map(({ line }) => line)).toEqual([2, 9]);
});

test.each<[string, () => Uint8Array, string]>([
  ['a sheet that expands to 400 MB', () => bomb(400), faults.tooLarge],
  ['a sheet of 200 MB with false sizes in its headers', () => lying(bomb(200)), faults.tooLarge],
  ['an archive inside an archive', () => zipSync({ 'xl/workbook.xml': bomb(100) }), faults.broken],
])('%s is refused within 100 MB of memory', (_, make, expected) => {
  const code = `
    import { readFileSync } from 'node:fs';
    import { readTable } from ${JSON.stringify(new URL('read-table.ts', import.meta.url).href)};
    const bytes = new Uint8Array(readFileSync(0));
    const before = process.resourceUsage().maxRSS;
    let fault = '';
    try { readTable('a.xlsx', bytes); } catch (error) { fault = error.message; }
    console.log(JSON.stringify({ fault, mb: (process.resourceUsage().maxRSS - before) / 1024 }));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    input: make(),
    cwd: import.meta.dirname,
  });
  const { fault, mb } = JSON.parse(String(said)) as { fault: string; mb: number };
  expect(fault).toBe(expected);
  expect(mb).toBeLessThan(100);
});

/** An .xlsx file whose sheet expands to many MB. */
function bomb(megabytes: number): Uint8Array {
  return zipSync({
    'xl/workbook.xml': strToU8(WORKBOOK),
    'xl/_rels/workbook.xml.rels': strToU8(RELATIONS),
    'xl/worksheets/sheet1.xml': new Uint8Array(megabytes * 1024 * 1024).fill(0x20),
  });
}
