import type { Visit } from '@propusk/contract/records';
import { afterEach, expect, test, vi } from 'vitest';
import { callIn } from '../../api/call.ts';
import { type Format, readExport } from './export-file.ts';

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
const visit: Visit = {
  ...{ id: '0b7f5d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11', kind: 'tunnel', state: 'closed', ms: 1_500, port: 443 },
  ...{ startedAt: '2026-03-01T10:00:00.000Z', user: null, site: null, policy: null, proxy: null },
  ...{
    address: '203.0.113.5',
    host: 'crm.example.ru',
    reason: '',
    count: 1,
    visits: 1,
    up: 100,
    down: 2_000,
    client: null,
  },
};
const visits = hostile.map((text) => ({
  ...visit,
  host: text,
  user: { id: 1, name: text },
  policy: { id: 1, name: text },
}));
const lines = visits.map((row) => `${JSON.stringify(row)}\n`).join('');

callIn({ bearer: () => 'token', renewed: () => Promise.resolve(false) });
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Exports a reply that arrives in chunks of `size` bytes, which split lines and characters. `breaks`: the connection breaks at its end. */
async function exported(
  text: string,
  format: Format,
  { breaks = false, type = 'application/x-ndjson', size = 7 } = {},
) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += size)));
      else if (breaks) controller.error(new TypeError('network error'));
      else controller.close();
    },
  });
  vi.stubGlobal('fetch', async () => new Response(body, { headers: { 'content-type': type } }));
  const progress = vi.fn<(rows: number, bytes: number) => void>();
  const file = await readExport({}, format, progress, new AbortController().signal);
  return {
    text: await new Response(file)
      .bytes()
      .then((all) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(all)),
    progress,
  };
}

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

test('hosts and names with line ends, quotes and formulas stay in their cells of a CSV, and none runs as a formula', async () => {
  const { text, progress } = await exported(lines, 'csv');
  expect(text.startsWith('\uFEFF"')).toBe(true);
  const [titles, ...rows] = parseCsv(text.slice(1));
  expect(rows.map((row) => row.length)).toEqual(visits.map(() => titles?.length));
  const shown = hostile.map((value) => (/^[a-z]/.test(value) ? value : `'${value}`));
  expect(rows.map((row) => row[3])).toEqual(shown);
  expect(rows.map((row) => row[2])).toEqual(shown);
  expect(rows.map((row) => row[10])).toEqual(shown);
  expect(rows.flat().filter((value) => /^[=+\-@\t\r\n]/.test(value))).toEqual([]);
  expect(progress.mock.lastCall?.[0]).toBe(hostile.length);
});

test('a JSONL file holds the bytes of the reply, one record in a line', async () => {
  const { text } = await exported(lines, 'jsonl');
  expect(text).toBe(lines);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(visits);
});

test.each<Format>(['csv', 'jsonl'])(
  'a %s export whose stream breaks or is cut gives no file',
  async (format) => {
    await expect(exported(lines, format, { breaks: true })).rejects.toThrow(TypeError);
    await expect(exported(lines.slice(0, -1), format)).rejects.toMatchObject({ code: 'network' });
    await expect(exported(lines, format, { type: 'text/html' })).rejects.toMatchObject({ code: 'network' });
  },
);

test('an export beyond the size of a part joins its parts in their order', async () => {
  const many = Array.from({ length: 4_000 }, (_, n) => `${JSON.stringify({ ...visit, count: n })}\n`).join(
    '',
  );
  expect(many.length).toBeGreaterThan(1_000_000);
  const { text } = await exported(many, 'csv', { size: 60_000 });
  expect(
    parseCsv(text.slice(1))
      .slice(1)
      .map((row) => Number(row[12])),
  ).toEqual(Array.from({ length: 4_000 }, (_, n) => n));
});
