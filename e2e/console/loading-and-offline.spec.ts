import { type BrowserContextOptions, expect, type Page } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import { PASSWORD, startConsole, test } from '../support/console.ts';
import { chunkOf } from '../support/scenario.ts';
import { prepare, type Tokens } from '../support/visit.ts';

/** The console's shell: colour schemes, onboarding, stable lists, and recovery without a network. */
let tokens: Tokens;
const domains = '/dashboard/creator/domains';
const users = '/dashboard/creator/users';

const product = startConsole(async (console) => {
  tokens = await prepare(console.url, await freePort(), PASSWORD);
});

/**
 * Signs the owner in and sets local storage once, so that a reload finds the values that the page stored
 * since.
 */
async function enter(page: Page, path: string, kept: Record<string, string> = {}): Promise<void> {
  await page.goto(`${product.url}/favicon.svg`);
  await page.evaluate(
    (items) => {
      for (const [name, value] of Object.entries(items)) localStorage.setItem(name, value);
    },
    { access_token: tokens.owner, ...kept },
  );
  await page.goto(`${product.url}${path}`);
}
const seen = { checkOnboarding: 'true' };
const scheme = (page: Page) => page.locator('html').getAttribute('data-mantine-color-scheme');

test.describe('colour scheme', () => {
  test('the colour scheme follows the system, can be chosen in the header, and is remembered', async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await enter(page, domains, seen);
    await expect(page.getByRole('heading', { name: 'Сайты', exact: true })).toBeVisible();
    expect(await scheme(page)).toBe('dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(() => scheme(page)).toBe('light');
    await page.getByRole('button', { name: /^Оформление/ }).click();
    await page.getByRole('menuitemradio', { name: 'Тёмное' }).click();
    await expect.poll(() => scheme(page)).toBe('dark');
    await page.reload();
    await expect(page.getByRole('button', { name: 'Оформление: Тёмное' })).toBeVisible();
    expect(await scheme(page)).toBe('dark');
  });

  for (const [path, kept, expected] of [
    [domains, 'dark', 'dark'],
    ['/auth/login', 'light', 'dark'],
  ] as const) {
    test(`the page ${path} has the chosen colour scheme from the first paint`, async ({ page }) => {
      // Record in the page every value of the document's colour scheme.
      await page.addInitScript(`window.shown = []; new MutationObserver(() => {
        const now = document.documentElement.dataset.mantineColorScheme;
        if (now !== window.shown.at(-1)) window.shown.push(now);
      }).observe(document, { subtree: true, childList: true, attributes: true });`);
      await enter(page, path, { ...seen, color_scheme: kept });
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      const shown = (await page.evaluate('window.shown')) as (string | undefined)[];
      expect(shown.filter((value) => value !== undefined)).toEqual([expected]);
    });
  }
});

test('the onboarding keeps its height from slide to slide', async ({ page }) => {
  await enter(page, domains);
  const dialog = page.getByRole('dialog', { name: 'Знакомство с «Пропуском»' });
  const heights = new Set<number>();
  for (const index of [1, 2, 3, 4]) {
    await expect(dialog.getByRole('status')).toHaveText(new RegExp(`^Слайд ${index} из 4`));
    heights.add((await dialog.boundingBox())?.height ?? 0);
    await page.keyboard.press('ArrowRight');
  }
  expect(heights.size).toBe(1);
});

test.describe('list', () => {
  const sizes: [string, BrowserContextOptions][] = [
    ['desktop', { viewport: { width: 1440, height: 900 } }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ];
  for (const [size, options] of sizes) {
    test(`a list does not shift when its rows arrive, ${size}`, { tag: ['@2.30'] }, async ({ browser }) => {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const rows = Promise.withResolvers<void>();
      await page.route('**/api/users/company?*', async (route) => {
        await rows.promise;
        await route.continue();
      });
      await page.addInitScript(`window.shift = 0; new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });`);
      await enter(page, users, seen);
      const heights = () =>
        page.locator('tbody tr').evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      await expect(page.locator('table[aria-busy="true"]')).toBeVisible();
      const bones = await heights();
      rows.resolve();
      await expect(page.getByRole('row', { name: /Орлов/ })).toBeVisible();
      expect(await heights()).toEqual(bones);
      expect(await page.evaluate('window.shift')).toBe(0);
      await context.close();
    });
  }

  test('a list keeps its page and search over a reload and a step back', async ({ page }) => {
    await enter(page, users, seen);
    await page.getByRole('button', { name: 'Страница 2' }).click();
    await page.reload();
    await expect(page.getByText('11–16 из 16')).toBeVisible();
    await page.getByLabel('Строк на странице').selectOption('20');
    await page.getByRole('searchbox').fill('ова');
    await expect(page).toHaveURL(/take=20.*name=/);
    const address = page.url();
    await page.getByRole('link', { name: 'Сайты', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Сайты', exact: true })).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(address);
    await expect(page.getByRole('searchbox')).toHaveValue('ова');
  });

  test('a list that cannot load without a network shows a failure, and loads when the network returns', async ({
    page,
    context,
  }) => {
    await enter(page, users, seen);
    await expect(page.getByRole('row', { name: /Орлов/ })).toBeVisible();
    // Load the page's code before the network goes.
    await page.getByRole('link', { name: 'Сайты', exact: true }).hover();
    const file = await chunkOf('src/features/sites/sites-page.tsx');
    const come = `performance.getEntriesByType('resource').some(({ name }) => name.endsWith('${file}'))`;
    await expect.poll(() => page.evaluate(come)).toBe(true);
    await page.waitForLoadState('networkidle');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Сайты', exact: true }).click();
    await expect(page.getByText('Список не загрузился')).toBeVisible();
    await page.getByRole('button', { name: 'Повторить' }).click();
    await expect(page.getByText('Список не загрузился')).toBeVisible();
    // The list reloads without a click when the network returns.
    await context.setOffline(false);
    await expect(page.getByRole('row', { name: /crm/ })).toBeVisible();
  });
});

test('a page whose code failed to load offers a retry', async ({ page, context }) => {
  await enter(page, domains, seen);
  await expect(page.getByRole('row', { name: /crm/ })).toBeVisible();
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Пользователи' }).click();
  await expect(page.getByText('Страница не загрузилась')).toBeVisible();
  // The navigation stays usable, and a retry without a network stays on the page.
  await page.getByRole('button', { name: 'Повторить' }).click();
  await expect(page.getByText('Нет связи с сервером')).toBeVisible();
  await expect(page.getByRole('navigation')).toBeVisible();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Повторить' }).click();
  await expect(page.getByRole('row', { name: /Орлов/ })).toBeVisible();
});
