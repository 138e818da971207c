import { exportVisits, type Visit } from '@propusk/contract/records';
import { afterEach, expect, test, vi } from 'vitest';
import { callIn } from '../api/call.ts';
import { type Format, readExport } from './export-file.ts';

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
const visits = [visit, { ...visit, host: 'b.test' }];
const lines = visits.map((row) => `${JSON.stringify(row)}\n`).join('');

callIn({ bearer: () => 'token', renewed: () => Promise.resolve(false) });
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Exports a reply in chunks of `size` bytes, which split lines and characters. With `breaks`, the reply ends with an error. */
async function exported(
  text: string,
  format: Format,
  {
    breaks = false,
    type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    size = 7,
  } = {},
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
  const progress = vi.fn<(text: string) => void>();
  const file = await readExport(exportVisits, {}, format, progress, new AbortController().signal);
  return {
    text: await new Response(file)
      .bytes()
      .then((all) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(all)),
    progress,
  };
}

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

test('an export larger than one part joins its parts in order', async () => {
  const many = Array.from({ length: 4_000 }, (_, n) => `${JSON.stringify({ ...visit, count: n })}\n`).join(
    '',
  );
  expect(many.length).toBeGreaterThan(1_000_000);
  const { text, progress } = await exported(many, 'csv', { size: 60_000 });
  expect(text).toBe(many);
  // The header line does not count as a row.
  expect(progress.mock.lastCall?.[0]).toContain('Получено строк: 3999,');
});
