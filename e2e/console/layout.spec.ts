import { type Browser, expect, type Locator, type Page } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import config from '../playwright.config.ts';
import { PASSWORD, screensOf, startConsole, test } from '../support/console.ts';
import type { Viewer } from '../support/scenario.ts';
import { scenarios } from '../support/scenarios.ts';
import { prepare, type Tokens, visit } from '../support/visit.ts';

/** Every page at every width: tables and cards, and no content that moves while the page loads. */
let tokens: Tokens;
const creator = '/dashboard/creator';
const admin = '/dashboard/admin';
const user = '/dashboard/user';

const lists: Partial<Record<Viewer, string[]>> = {
  owner: ['domains', 'proxies', 'politics', 'users', 'company', 'audit'].map((name) => `${creator}/${name}`),
  admin: ['companies', 'users', 'proxies', 'politics', 'proxies-default', 'plans', 'audit'].map(
    (name) => `${admin}/${name}`,
  ),
  agent: [`${user}/domains`, `${user}/politics`],
};
const others: Partial<Record<Viewer, string[]>> = {
  owner: [
    `${creator}/statistics`,
    `${creator}/statistics/now`,
    `${creator}/statistics/log`,
    `${creator}/statistics/storage`,
    `${creator}/tariff`,
    '/dashboard/personal-data',
  ],
  admin: ['/dashboard/personal-data'],
  agent: [`${user}/personal-data`],
  // The owner of an empty company, whose onboarding card is unfolded.
  newcomer: [`${creator}/domains`, `${creator}/politics`, `${creator}/audit`],
  stranger: [`${user}/domains`, `${user}/politics`],
  nobody: [
    ...['/auth/login', '/auth/register', '/auth/reset', '/security/check-email', '/security/login'],
    ...['/auth/rules', '/help', '/lock#dead', '/extension/pair#code', '/no/such/page'],
  ],
};

// Playwright hides scrollbars by default; here they must take their width, as on Windows and Linux.
test.use({ launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] } });

const product = startConsole(async (console) => {
  tokens = await prepare(console.url, await freePort(), PASSWORD);
});

/** Opens a window in which a viewer is signed in. */
async function windowOf(browser: Browser, viewer: Viewer, width: number, height: number): Promise<Page> {
  const phone = width < 768;
  const context = await browser.newContext({ viewport: { width, height }, isMobile: phone, hasTouch: phone });
  const kept: Record<string, string> = { checkOnboarding: 'true' };
  if (viewer !== 'nobody') kept.access_token = tokens[viewer];
  await context.addInitScript((items) => Object.assign(localStorage, items), kept);
  return context.newPage();
}

/** A script for the page: it lists the faults of the page's table at the current width of the window. */
const TABLE_FAULTS = `(() => {
  const faults = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) faults.push('the page scrolls sideways');
  if (document.querySelector('thead').offsetHeight < 20) faults.push('rows are cards');
  for (const cell of document.querySelectorAll('th, td')) {
    const { right } = cell.getBoundingClientRect();
    for (const part of cell.querySelectorAll('*'))
      if (!part.closest('.mantine-VisuallyHidden-root') && part.getBoundingClientRect().right > right + 1)
        faults.push('wider than its column: ' + part.textContent);
  }
  return faults;
})()`;

/** Controls of the page's header, rows and pager that are lower than 32 px. Evaluated in the page. */
const LOW_TARGETS = `[...document.querySelectorAll('main :is(header, table, nav) :is(a, button, summary, select, input)')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 31.5)
  .map((one) => one.getBoundingClientRect().height + ' px: ' + (one.ariaLabel ?? one.textContent))`;

for (const [viewer, paths] of Object.entries(lists) as [Viewer, string[]][]) {
  test(`every control in the ${viewer}'s lists is at least 32 px high on a phone`, async ({ browser }) => {
    const page = await windowOf(browser, viewer, 390, 844);
    const faults: string[] = [];
    for (const path of paths) {
      await page.goto(`${product.url}${path}`);
      await expect(page.locator('table:not([aria-busy="true"])')).toBeVisible();
      const found = (await page.evaluate(LOW_TARGETS)) as string[];
      faults.push(...found.map((fault) => `${path}, ${fault}`));
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test(`every list of the ${viewer} is a table from 768 px on, and cards below`, async ({ browser }) => {
    const page = await windowOf(browser, viewer, 768, 900);
    const faults: string[] = [];
    for (const path of paths) {
      await page.goto(`${product.url}${path}`);
      await expect(page.locator('table:not([aria-busy="true"])')).toBeVisible();
      for (const width of [768, 1000, 1024, 1280, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        const found = (await page.evaluate(TABLE_FAULTS)) as string[];
        faults.push(...found.map((fault) => `${path}, ${width} px: ${fault}`));
      }
      await page.setViewportSize({ width: 767, height: 900 });
      await expect(page.locator('tbody tr').first()).toHaveCSS('display', 'grid');
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });
}

test('the header stays in its place between a page with a scroll bar and one without', async ({
  browser,
}) => {
  const page = await windowOf(browser, 'owner', 1024, 700);
  await page.goto(`${product.url}${creator}/users`);
  await expect(page.getByRole('row', { name: /Орлов/ })).toBeVisible();
  const exit = page.getByRole('banner').getByRole('button', { name: 'Выйти' });
  const place = await exit.boundingBox();
  await page.getByRole('link', { name: 'Компания', exact: true }).click();
  await expect(page.getByRole('row', { name: /Ромашка/ })).toBeVisible();
  const scrolls = 'document.documentElement.scrollHeight > document.documentElement.clientHeight';
  expect(await page.evaluate(scrolls)).toBe(false);
  expect(await exit.boundingBox()).toEqual(place);
  await exit.click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await exit.boundingBox()).toEqual(place);
  await page.context().close();
});

test('the audit journal has the same header as the list of policies', async ({ browser }) => {
  const page = await windowOf(browser, 'owner', 1280, 700);
  const looks: unknown[] = [];
  for (const name of ['politics', 'audit']) {
    await page.goto(`${product.url}${creator}/${name}`);
    await expect(page.locator('table:not([aria-busy="true"])')).toBeVisible();
    const height = (await page.getByRole('main').locator('header').boundingBox())?.height;
    looks.push([
      height,
      await page.evaluate("getComputedStyle(document.querySelectorAll('th')[2]).paddingLeft"),
    ]);
  }
  expect(looks[1]).toEqual(looks[0]);
  await page.context().close();
});

/** Opens a scenario of the tour in a window signed in as the owner. */
async function ownerAt(browser: Browser, name: string, width: number, height: number): Promise<Page> {
  const page = await windowOf(browser, 'owner', width, height);
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`No scenario ${name}`);
  await visit(page, product.url, scenario);
  return page;
}

/** Returns the y coordinate of an element's centre in the window. */
async function middleOf(element: Locator): Promise<number> {
  const { y = 0, height = 0 } = (await element.boundingBox()) ?? {};
  return y + height / 2;
}

test('the statistics page shows four figures per row on a wide screen and two on a phone', async ({
  browser,
}) => {
  const page = await ownerAt(browser, 'statistics-figures', 1440, 900);
  const figures = page.locator('dl:has(> div > dd + dd) > div');
  await expect(figures).toHaveCount(4);
  const perLine: number[] = [];
  for (const width of [1440, 1032, 1024, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    const tops = await figures.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    perLine.push(tops.filter((top) => top === tops[0]).length);
  }
  expect(perLine).toEqual([4, 4, 4, 4, 2, 2]);
  await page.context().close();
});

test('the statistics tables have right-aligned figures and bars proportional to visits', async ({
  browser,
}) => {
  const page = await ownerAt(browser, 'statistics-figures', 1440, 900);
  const table = page.getByRole('region', { name: 'Чаще всего открывают' }).getByRole('table');
  await expect(table.getByRole('columnheader')).toHaveText(['Сайт', 'Посещения', 'Трафик']);
  await expect(table.getByRole('row').nth(1)).toHaveText(/^crm\.romashka\.test820/);
  await expect(table.getByRole('cell').first()).toHaveCSS('text-align', 'right');
  const bars = await table.locator('i').evaluateAll((all) => all.map(({ clientWidth }) => clientWidth));
  expect((bars[1] ?? 0) / (bars[0] ?? 1)).toBeCloseTo(420 / 820, 1);
  await page.context().close();
});

test('column headers stay below the page header while a list scrolls', async ({ browser }) => {
  const page = await windowOf(browser, 'owner', 1440, 500);
  await page.goto(`${product.url}${creator}/users?take=100`);
  await expect(page.getByRole('row', { name: /Орлов/ })).toBeVisible();
  await page.mouse.wheel(0, 400);
  const head = page.getByRole('columnheader', { name: 'Имя' });
  await expect.poll(async () => (await head.boundingBox())?.y).toBe(56);
  await page.context().close();
});

test('icons and the name of the user are vertically centred on adjacent text', async ({ browser }) => {
  const page = await windowOf(browser, 'owner', 1440, 900);
  await page.goto(`${product.url}${creator}/proxies`);
  const platform = page.getByRole('row', { name: /Шлюз платформы/ });
  const line = await middleOf(platform.getByRole('rowheader').getByText('Шлюз платформы'));
  for (const icon of await platform.locator('svg').all())
    expect(Math.abs((await middleOf(icon)) - line)).toBeLessThanOrEqual(1);
  const header = page.getByRole('banner');
  const [name, exit] = [header.getByText('Ирина Соколова'), header.getByText('Выйти')];
  expect(Math.abs((await middleOf(name)) - (await middleOf(exit)))).toBeLessThan(0.5);
  await page.context().close();
});

test('a list in a card has no border of its own', async ({ browser }) => {
  const page = await windowOf(browser, 'agent', 1440, 900);
  await page.goto(`${product.url}${user}/personal-data`);
  const list = page.getByRole('region', { name: 'Мои посещения' }).locator('header + div');
  await expect(list).toHaveCSS('border-left-width', '0px');
  await page.context().close();
});

test('selects and the buttons of the pager have one height', async ({ browser }) => {
  const page = await windowOf(browser, 'admin', 1440, 900);
  await page.goto(`${product.url}${admin}/users`);
  await expect(page.getByRole('row', { name: /Орлов/ })).toBeVisible();
  const pager = page.getByRole('navigation', { name: 'Страницы' }).locator('button, select');
  const heights = await pager.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect([...new Set(heights)]).toEqual([36]);
  await expect(page.locator('[data-combobox-chevron]')).toHaveCSS('width', '16px');
  await page.context().close();
});

test('on a phone the header has a search, and a notice says that company sites do not open', async ({
  browser,
}) => {
  const page = await windowOf(browser, 'agent', 390, 844);
  await page.goto(`${product.url}${user}/domains`);
  await page.getByRole('banner').getByRole('button', { name: 'Перейти' }).click();
  await page.getByRole('combobox').fill('персон');
  await page.getByRole('option', { name: 'Персональные данные' }).click();
  const card = page.getByRole('region', { name: 'Расширение для браузера' });
  await expect(card.getByText('На телефоне сайты компании не открываются')).toBeVisible();
  await expect(card.getByRole('link', { name: 'Подключить расширение' })).toBeHidden();
  await page.context().close();
});

test('the list of vantages shows the whole word «Удалить» on a phone', async ({ browser }) => {
  const page = await ownerAt(browser, 'sites-vantages', 390, 844);
  const buttons = page.getByRole('button', { name: /^Удалить точку/ });
  await expect(buttons).toHaveCount(3);
  const clipped = await buttons.evaluateAll(
    (all) =>
      all.filter((one) =>
        [one, ...one.querySelectorAll('*')].some((part) => part.scrollWidth > part.clientWidth + 1),
      ).length,
  );
  expect(clipped).toBe(0);
  await page.context().close();
});

test('the scroll bar of a long dialog has no track that would cover its round corners', async ({
  browser,
}) => {
  const page = await ownerAt(browser, 'sites-lock', 1440, 600);
  const dialog = page.getByRole('dialog');
  expect(await dialog.evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
  await expect(dialog).toHaveCSS('scrollbar-color', /rgba\(0, 0, 0, 0\)$/);
  await page.context().close();
});

/** Records the layout shifts that no input caused, with the texts that moved. Evaluated in the page. */
const WATCH_SHIFTS = `window.shifts = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push({
    value: entry.value,
    moved: entry.sources.map(({ node, previousRect: before, currentRect: now }) =>
      (node?.textContent ?? '').slice(0, 40) + ' ' + [before.x, before.y, before.width, before.height] + ' > ' +
      [now.x, now.y, now.width, now.height]),
  });
}).observe({ type: 'layout-shift', buffered: true });`;

/** The maximum accepted layout shift of a page load; Google rates up to 0.1 as good. */
const MOST_SHIFT = 0.02;

for (const [viewer, more] of Object.entries(others) as [Viewer, string[]][]) {
  for (const [screen, { width, height }] of screensOf(import.meta.url)) {
    test(`no page for the viewer ${viewer} shifts while it loads over a slow connection, ${screen}`, async ({
      browser,
    }) => {
      const faults: unknown[] = [];
      for (const path of [...(lists[viewer] ?? []), ...more]) {
        // A window of its own for each page, because a cached file would arrive at once.
        const page = await windowOf(browser, viewer, width, height);
        await page.addInitScript(WATCH_SHIFTS);
        // Replies arrive after the page's code, as on a phone far from the server.
        await page.route('**/api/**', async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          await route.continue();
        });
        await page.goto(`${product.url}${path}`);
        await page.waitForLoadState('networkidle');
        await expect(page.locator('[aria-busy="true"], .mantine-Loader-root')).toHaveCount(0);
        const shifts = (await page.evaluate('window.shifts')) as { value: number }[];
        const sum = shifts.reduce((total, { value }) => total + value, 0);
        if (sum > MOST_SHIFT) faults.push({ path, sum, shifts });
        await page.context().close();
      }
      expect(faults).toEqual([]);
    });
  }
}
