import type { Browser } from '@playwright/test';
import { buildConsole } from '@propusk/supervisor/build-console';
import pg from 'pg';
import { startDatabase } from '../api/database.ts';
import { fill } from '../api/fill.ts';
import { startApi } from '../api/server.ts';
import { startBarePages } from '../console/bare.ts';
import { held, startBrowser, type Visit, visit } from '../console/browser.ts';
import { BOTH, type Pinned } from '../harness/pinned.ts';
import { type Bench, median, type Ratio, type Row, short, type Table } from '../harness/row.ts';

/**
 * Dialogs opened before the first measurement, dialogs between two measurements, and the number of
 * measurements.
 */
const [WARM, OPENINGS, LOOKS] = [10, 100, 6];

/**
 * The console's pages beside the same pages built from Mantine's own components, without a server behind
 * them.
 */
export const row: Row = {
  name: 'console',
  title: 'Console: login, and sites with 100 rows, 4 times slower processor',
  quick: false,
  run: async (bench) => {
    await buildConsole(bench.say);
    const running: Pinned[] = [];
    const database = await startDatabase(BOTH);
    const bare = await startBarePages();
    const browser = await startBrowser();
    try {
      const api = await startApi(database.url, running, BOTH);
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      const [owner] = await fill(pool, { companies: 1, sites: 100, policies: 3, owners: 1 });
      await pool.end();
      const kept = { checkOnboarding: 'true', access_token: owner?.token ?? '' };
      const url = `http://127.0.0.1:${api.port}`;
      const sites = `${url}/dashboard/creator/domains?take=100`;
      const tables: Table[] = [];
      const ratios: Ratio[] = [];
      const pages: [string, () => Promise<Visit>, () => Promise<Visit>][] = [
        [
          'login',
          () => visit(browser, `${url}/auth/login`, ['input', 2]),
          () => visit(browser, `${bare.url}/login.html`, ['input', 2]),
        ],
        [
          'sites, 100 rows',
          () => visit(browser, sites, ['tbody tr:not([aria-hidden])', 100], kept),
          () => visit(browser, `${bare.url}/sites.html`, ['tbody tr', 100]),
        ],
      ];
      for (const [title, ours, theirs] of pages) {
        const { table, ratios: more } = await compare(bench, title, ours, theirs);
        tables.push(table);
        ratios.push(...more);
      }
      const memory = await openDialogs(browser, sites, kept);
      tables.push(memory.table);
      ratios.push(...memory.ratios);
      return {
        tables,
        ratios,
        notes: [
          'Chromium with an empty cache each time; bytes are scripts and style sheets, gzipped. The bare page has its rows in its code and makes no call.',
        ],
      };
    } finally {
      await browser.close();
      await bare.stop();
      for (const each of running) await each.stop();
      await database.stop();
    }
  },
};

async function compare(
  { rounds }: Bench,
  title: string,
  ours: () => Promise<Visit>,
  bare: () => Promise<Visit>,
): Promise<{ table: Table; ratios: Ratio[] }> {
  const [own, other]: [Visit[], Visit[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    const [mine, theirs] = [await ours(), await bare()];
    if (round < 0) continue;
    own.push(mine);
    other.push(theirs);
  }
  const of = (list: Visit[], figure: keyof Visit) => list.map((each) => each[figure]);
  const line = (name: string, list: Visit[]) => [
    name,
    short(median(of(list, 'bytes')) / 1_000),
    short(median(of(list, 'lcp'))),
    short(median(of(list, 'usable'))),
  ];
  const ratio = (what: string, figure: keyof Visit): Ratio => ({
    what: `${title}: ${what}, ours / bare`,
    value: median(of(own, figure).map((each, i) => each / (of(other, figure)[i] ?? Number.NaN))),
    bar: 1.3,
    atLeast: false,
  });
  return {
    table: {
      title,
      head: ['', 'KB', 'LCP ms', 'usable ms'],
      lines: [line('ours', own), line('bare', other)],
    },
    ratios: [ratio('bytes', 'bytes'), ratio('LCP', 'lcp'), ratio('time to use', 'usable')],
  };
}

/** Opens and closes a dialog repeatedly, and measures heap and nodes that remain. */
async function openDialogs(
  browser: Browser,
  address: string,
  kept: Readonly<Record<string, string>>,
): Promise<{ table: Table; ratios: Ratio[] }> {
  const page = await browser.newPage({ locale: 'ru-RU', viewport: { width: 1440, height: 900 } });
  await page.goto(new URL('/favicon.svg', address).href);
  await page.evaluate(`Object.assign(localStorage, ${JSON.stringify(kept)})`);
  await page.goto(address);
  const openAndClose = async (times: number) => {
    for (let i = 0; i < times; i++) {
      await page.getByRole('button', { name: 'Добавить' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  };
  await openAndClose(WARM);
  const looks = [await held(page)];
  while (looks.length < LOOKS) {
    await openAndClose(OPENINGS);
    looks.push(await held(page));
  }
  await page.close();
  const line = (name: string, figure: 'bytes' | 'nodes', by: number) => [
    name,
    ...looks.map((look) => short(look[figure] / by)),
  ];
  const growth = (what: string, figure: 'bytes' | 'nodes'): Ratio => {
    const [before, after] = looks.slice(-2);
    const value = (after?.[figure] ?? Number.NaN) / (before?.[figure] ?? Number.NaN);
    return { what: `${what} behind the last ${OPENINGS} dialogs / before`, value, bar: 1.03, atLeast: false };
  };
  return {
    table: {
      title: 'Dialogs opened and closed',
      head: ['', ...looks.map((_, i) => String(WARM + i * OPENINGS))],
      lines: [line('heap, MB', 'bytes', 1e6), line('nodes', 'nodes', 1)],
    },
    // The first hundreds leave compiled code behind, less each time. A leaked dialog would show in every
    // measurement.
    ratios: [growth('Heap', 'bytes'), growth('Nodes', 'nodes')],
  };
}
