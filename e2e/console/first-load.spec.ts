import { gzipSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';
import { createSite } from '@propusk/contract/sites';
import { enter, screensOf, startConsole, test } from '../support/console.ts';

/** Transfer sizes of a first load, and layout shifts. */
const email = 'owner@romashka.test';
let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner(email);
  // More sites than a page holds, so that the list shows its pager.
  for (let index = 0; index < 12; index++) {
    await console.call(owner, createSite, { body: { address: `site-${index}.romashka.test` } });
  }
});

/**
 * Measures scripts and style sheets that a page loads. @returns a function for their total so far, gzipped,
 * in kilobytes
 */
function scales(page: Page): () => Promise<number> {
  const weighed: Promise<number>[] = [];
  page.on('response', (response) => {
    if (!/\.(js|css)$/.test(new URL(response.url()).pathname)) return;
    weighed.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  return async () => {
    // Includes the files that the page loads after it renders.
    await page.waitForLoadState('networkidle');
    return (await Promise.all(weighed)).reduce((sum, one) => sum + one, 0) / 1000;
  };
}

// The same budgets that scripts/weight.ts applies to the build, measured on a real load.
test('the login page and the list of sites stay within their transfer budgets', async ({ page }) => {
  const weight = scales(page);
  await page.goto(`${product.url}/auth/login`);
  await expect(page.getByLabel('Почта')).toBeFocused();
  const login = await weight();
  expect(login).toBeLessThanOrEqual(150);

  await page.getByLabel('Почта').fill(email);
  await page.getByLabel('Пароль', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Войти' }).click();
  await page.getByRole('button', { name: 'Understood!' }).click();
  await expect(page.getByRole('row')).toHaveCount(11);
  const dashboard = await weight();
  expect(dashboard).toBeLessThanOrEqual(220);

  let before = dashboard;
  for (const name of ['Прокси-серверы', 'Политики доступа', 'Пользователи', 'Компания']) {
    await page.getByRole('navigation', { name: 'Разделы' }).getByRole('link', { name }).click();
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    const now = await weight();
    expect(now - before, name).toBeLessThanOrEqual(30);
    before = now;
  }
});

// public/prefetch.js requests the user and the list early, and the console must reuse the replies.
test("a reload requests the user and the list once, before the console's code arrives", async ({ page }) => {
  const asked: string[] = [];
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  await expect(page.getByRole('row')).toHaveCount(11);
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/api\/(me|domain-allowed)$/.test(pathname)) asked.push(pathname + search);
  });
  // Delays the console's code until both requests were sent.
  await page.route('**/assets/index-*.js', async (route) => {
    await expect.poll(() => asked.length).toBe(2);
    await route.continue();
  });
  await page.reload();
  await expect(page.getByRole('row')).toHaveCount(11);
  await page.waitForLoadState('networkidle');
  expect(asked.toSorted()).toEqual(['/api/domain-allowed?page=1&take=10', '/api/me']);
});

/** The browser's cumulative layout shift without user input. Evaluated in the page. */
const SHIFT = `new Promise((resolve) => {
  let sum = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  });
  observer.observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

for (const [size, viewport] of screensOf(import.meta.url)) {
  test.describe(`on a ${size}`, () => {
    test.use({ viewport });
    for (const path of ['/auth/login', '/dashboard/creator/domains']) {
      test(`${path} does not shift while it loads`, async ({ page }) => {
        await enter(page, `${product.url}${path}`, path.startsWith('/auth') ? null : owner);
        await expect(page).toHaveTitle(/ · /);
        await page.waitForLoadState('networkidle');
        await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
        await page.evaluate('document.fonts.ready.then(() => null)');
        expect(await page.evaluate(SHIFT)).toBe(0);
      });
    }
  });
}
