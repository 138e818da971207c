import { expect, type Page } from '@playwright/test';
import { enter, startConsole, test } from '../support/console.ts';

/** The colour scheme: the system's, or the one that the user chose. */
let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
});

const domains = '/dashboard/creator/domains';
const scheme = (page: Page) => page.locator('html').getAttribute('data-mantine-color-scheme');

test('the colour scheme follows the system, can be chosen in the header, and is remembered', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await enter(page, `${product.url}${domains}`, owner);
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
    await enter(page, `${product.url}${path}`, owner, { checkOnboarding: 'true', color_scheme: kept });
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const shown = (await page.evaluate('window.shown')) as (string | undefined)[];
    expect(shown.filter((value) => value !== undefined)).toEqual([expected]);
  });
}
