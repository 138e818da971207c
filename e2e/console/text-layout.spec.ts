import { expect } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import config from '../playwright.config.ts';
import { PASSWORD, startConsole, test } from '../support/console.ts';
import {
  answeringReload,
  changing,
  charted,
  loaded,
  type Scenario,
  type Steps,
  states,
  type Viewer,
} from '../support/scenario.ts';
import { scenarios } from '../support/scenarios.ts';
import { figures } from '../support/stubbed-replies.ts';
import { prepare, type Tokens, viewersOf, visit } from '../support/visit.ts';

let tokens: Tokens;

// Playwright hides scrollbars by default; here they must take their width, as on Windows and Linux.
test.use({ launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] } });

const product = startConsole(async (console) => {
  tokens = await prepare(console.url, await freePort(), PASSWORD);
});

const LONG = 'Доступ подрядчиков второй очереди к складскому учёту и отчётам по поставкам';
const named: Steps = changing('**/api/politics?*', ({ rows = [] }) => ({
  count: rows.length,
  rows: rows.map((row) => ({ ...row, name: LONG, description: LONG })),
}));
const grafana = { id: 9, name: 'grafana-monitoring.romashka.test:3000' };
const busy = {
  ...figures,
  sites: [{ ...grafana, visits: 104_820, bytes: 987_600_000_000 }, ...figures.sites],
  users: figures.users.map((user) => ({ ...user, name: 'Александра Константинопольская' })),
  refused: figures.refused.map((refusal) => ({ ...refusal, host: grafana.name })),
  unused: [{ user: { id: 2, name: 'Александра Константинопольская' }, site: grafana }],
  idle: [grafana],
};

/** Scenarios to check besides each page's initial state. */
const more = new Set([
  ...['agent-visits', 'agent-sessions', 'statistics-figures', 'statistics-now', 'statistics-log'],
  ...['statistics-support-open', 'statistics-storage-pending', 'tariff', 'tariff-ended', 'sites-alarm'],
  ...['sites-drifted', 'sites-empty', 'users-invited', 'audit-more', 'page-help', 'statistics-empty', 'go'],
  ...[
    'admin-companies-stuck-mail',
    'admin-invitations',
    'admin-plans',
    'admin-state',
    'admin-company-visits',
  ],
]);
const screens: readonly Scenario[] = [
  ...scenarios.filter(({ name, path, open, only }) =>
    open === loaded ? only === undefined && !path.includes('?') : more.has(name),
  ),
  ...states('owner', '/dashboard/creator/politics', { 'policies with long names': named }),
  ...states('owner', '/dashboard/creator/statistics', {
    'figures of long names': answeringReload('**/api/statistics?*', busy, charted),
  }),
];
const WIDTHS = [320, 390, 768, 1024, 1032, 1280, 1440, 1920];

/** Lists the faults of the page's text at the current width of the window. Evaluated in the page. */
const TEXT_FAULTS = `(async () => {
  const faults = new Set();
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.add('the page scrolls sideways');
  const unseen = '.mantine-VisuallyHidden-root, option, [inert], [href="#content"]';
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const lines = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const element = text.parentElement;
    if (text.data.trim() === '' || element.closest(unseen) || element.closest('thead')?.offsetHeight < 20) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const whole = element.closest('thead') ? /\\S+/g : /\\d\\d\\.\\d\\d\\.\\d{4}/g;
    for (const { 0: word, index } of text.data.matchAll(whole)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) faults.add('broken: ' + text.data);
    }
    range.selectNodeContents(text);
    let rects = [...range.getClientRects()].filter(({ width }) => width > 0)
      .map(({ left, right, top, bottom }) => ({ left, right, top, bottom }));
    const cell = element.closest('td, th, dd, dt, button, a, label, li')?.getBoundingClientRect();
    if (cell && rects.some(({ left, right }) => right > cell.right + 1.5 || left < cell.left - 1.5))
      if (getComputedStyle(element).textOverflow !== 'ellipsis') faults.add('beyond its place: ' + text.data);
    let layer = document.body;
    for (let box = element; box !== document.body; box = box.parentElement) {
      const { position, zIndex, overflowX, textOverflow, webkitLineClamp } = getComputedStyle(box);
      if (layer === document.body && (/sticky|fixed/.test(position) || (position === 'absolute' && zIndex !== 'auto'))) layer = box;
      if (overflowX === 'visible') continue;
      const { left, right, top, bottom } = box.getBoundingClientRect();
      if (/hidden|clip/.test(overflowX) && webkitLineClamp === 'none') {
        if (textOverflow !== 'ellipsis' && rects.some((one) => one.right > right + 1.5 || one.left < left - 1.5))
          faults.add('clipped: ' + text.data);
        if (rects.some((one) => one.top < bottom - 4 && one.bottom > bottom + 4)) faults.add('cut in its line: ' + text.data);
      }
      // Clips the rects to the box.
      rects = rects.map((one) => ({ left: Math.max(left, one.left), right: Math.min(right, one.right), top: Math.max(top, one.top), bottom: Math.min(bottom, one.bottom) }))
        .filter((one) => one.right > one.left && one.bottom > one.top + 4);
    }
    if (element.closest('td button[aria-haspopup="dialog"]') && new Set(rects.map(({ top }) => top)).size > 2)
      faults.add('more than two lines: ' + text.data);
    for (const rect of rects) lines.push({ rect, layer, text });
  }
  for (const [at, { rect: one, layer, text }] of lines.entries())
    for (const { rect, layer: otherLayer, text: other } of lines.slice(at + 1)) {
      if (otherLayer !== layer || other === text) continue;
      const across = Math.min(one.right, rect.right) - Math.max(one.left, rect.left);
      const down = Math.min(one.bottom, rect.bottom) - Math.max(one.top, rect.top);
      if (across > 2 && down > 0.4 * Math.min(one.bottom - one.top, rect.bottom - rect.top))
        faults.add('overprinted: ' + text.data + ' | ' + other.data);
    }
  const pen = document.createElement('canvas').getContext('2d');
  for (const field of document.querySelectorAll('input[placeholder], select')) {
    const shown = field.placeholder ?? field.selectedOptions[0]?.text ?? '';
    if (shown === '' || !field.checkVisibility()) continue;
    const style = getComputedStyle(field);
    pen.font = style.font;
    const place = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (pen.measureText(shown).width > place + 1) faults.add('clipped in its field: ' + shown);
  }
  return [...faults];
})()`;

for (const viewer of ['nobody', 'owner', 'newcomer', 'agent', 'stranger', 'admin'] satisfies Viewer[]) {
  test(`no page for the viewer ${viewer} has clipped, broken or overlapping text at eight widths`, async ({
    browser,
  }) => {
    // Each screen is measured sixteen times, which takes minutes on a busy machine.
    test.setTimeout(600_000);
    const viewers = viewersOf(browser, () => tokens);
    const faults: string[] = [];
    for (const screen of screens.filter(({ role }) => role === viewer)) {
      const context = await viewers.contextOf({ scheme: 'light', size: 'desktop' }, screen);
      const page = await context.newPage();
      await visit(page, product.url, screen);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(
          'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
        );
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const found = (await page.evaluate(TEXT_FAULTS)) as string[];
          faults.push(...found.map((fault) => `${screen.name}, ${width} px, ${colorScheme}: ${fault}`));
        }
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.close();
    }
    await viewers.close();
    expect(faults).toEqual([]);
  });
}
