import { type BrowserContextOptions, expect } from '@playwright/test';
import { freePort } from '@propusk/test-kit/daemon';
import { enter, PASSWORD, startConsole, test } from '../support/console.ts';
import { chunkOf } from '../support/scenario.ts';
import { prepare } from '../support/visit.ts';

/** Lists keep their layout, page and search while they load; lists and pages recover from a lost network. */
let owner: string;
const domains = '/dashboard/creator/domains';
const users = '/dashboard/creator/users';

const product = startConsole(async (console) => {
  ({ owner } = await prepare(console.url, await freePort(), PASSWORD));
});

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
    await enter(page, `${product.url}${users}`, owner);
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
  await enter(page, `${product.url}${users}`, owner);
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
  await enter(page, `${product.url}${users}`, owner);
  await expect(page.getByRole('row', { name: /Орлов/ })).toBeVisible();
  // Load the page's code before the network goes down.
  await page.getByRole('link', { name: 'Сайты', exact: true }).hover();
  const file = await chunkOf('src/features/sites/page.tsx');
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

test('a page whose code failed to load offers a retry', async ({ page, context }) => {
  await enter(page, `${product.url}${domains}`, owner);
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
