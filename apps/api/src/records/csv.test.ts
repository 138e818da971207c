import { expect, test } from 'vitest';
import { csvHead, csvOf, fileNameOf } from './csv.ts';
import type { ExportedVisit } from './log.ts';

const hostile = [
  'a\r\nforged;row',
  'b\n"c";d\t\u2028',
  "=cmd|'/C calc'!A0",
  '+1',
  '-1',
  '@SUM(1)',
  '\t=1',
  '\r=1',
  '\n=1',
];
const visit: ExportedVisit = {
  ...{ id: '0b7f5d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11', kind: 'tunnel', state: 'closed', ms: 1_500, port: 443 },
  ...{ startedAt: '2026-03-01T10:00:00.000Z', localTime: '01.03.2026 13:00:00', mail: null },
  ...{ user: null, site: null, policy: null, proxy: null, address: '203.0.113.5', host: 'crm.example.ru' },
  ...{ reason: '', count: 1, visits: 1, up: 100, down: 2_000, client: null },
};
const visits = hostile.map((text) => ({
  ...visit,
  host: text,
  user: { id: 1, name: text },
  policy: { id: 1, name: text },
}));

/** Reads CSV strictly by RFC 4180: every cell is quoted, a quote is doubled, a row ends with CRLF. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (let rest = text; rest !== ''; ) {
    const [match, value, end] = /^"((?:[^"]|"")*)"(;|\r\n)/.exec(rest) ?? [];
    if (match === undefined || value === undefined) throw new Error(`no cell at ${rest.slice(0, 40)}`);
    rows.at(-1)?.push(value.replaceAll('""', '"'));
    rest = rest.slice(match.length);
    if (end === '\r\n' && rest !== '') rows.push([]);
  }
  return rows;
}

test('a host or name with line ends, quotes or a formula stays in one CSV cell', () => {
  const lines = visits.map((row) => `${JSON.stringify(row)}\n`).join('');
  const text = csvHead + csvOf(lines);
  expect(text.startsWith('\uFEFF"')).toBe(true);
  const [titles, ...rows] = parseCsv(text.slice(1));
  expect(rows.map((row) => row.length)).toEqual(visits.map(() => titles?.length));
  const shown = hostile.map((value) => (/^[a-z]/.test(value) ? value : `'${value}`));
  expect(rows.map((row) => row[4])).toEqual(shown);
  expect(rows.map((row) => row[2])).toEqual(shown);
  expect(rows.map((row) => row[11])).toEqual(shown);
  expect(rows.flat().filter((value) => /^[=+\-@\t\r\n]/.test(value))).toEqual([]);
});

test('the name of an exported file has the first and the last day of its period', () => {
  const period = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' };
  expect(fileNameOf('a', 'UTC', period)).toBe('Журнал доступа a с 01.03.2026 по 31.03.2026');
  expect(fileNameOf('a', 'UTC', {})).toBe('Журнал доступа a');
});
