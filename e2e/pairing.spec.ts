import { expect, type Page, test } from '@playwright/test';
import { enter, heading, screens, startConsole } from './console.ts';

/**
 * The console's side of signing the extension in, in a browser that has none: where to get it, the link with a code, and
 * the page that the link opens. extension.spec.ts has the other side.
 */
let owner: string;
let agent: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  agent = await console.agent(owner, 'petr@romashka.test');
});

const codeOf = (page: Page) => new URL(page.url()).hash;
/** What the extension does to the page. */
const say = (page: Page, word: string) =>
  page.evaluate(`document.documentElement.dataset.propuskPaired = '${word}'`);

for (const [screen, viewport] of screens) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('everybody finds the extension beside the own data, and one click makes a code', async ({
      page,
    }) => {
      for (const [path, token] of [
        ['/dashboard/personal-data', owner],
        ['/dashboard/user/personal-data', agent],
      ] as const) {
        await enter(page, product.url + path, token);
        const card = page.getByRole('region', { name: 'Расширение для браузера' });
        for (const [browser, file] of [
          ['Chrome', 'propusk-chromium.zip'],
          ['Firefox', 'propusk-firefox.zip'],
        ] as const) {
          await expect(card.getByRole('link', { name: `Скачать для ${browser}` })).toHaveAttribute(
            'href',
            `/downloads/${file}`,
          );
        }
        await card.getByRole('button', { name: 'Войти в расширение' }).click();
        await expect(page).toHaveURL(/\/extension\/pair#[\w-]{20,}$/);
        await expect(heading(page, 'Ищем расширение…')).toBeVisible();
        await expect(heading(page, 'Расширение не найдено')).toBeVisible();
        await expect(page.getByRole('link', { name: 'Скачать для Firefox' })).toBeVisible();
      }
    });

    test('the page says how it ended, and has a new code for whoever is signed in', async ({ page }) => {
      await enter(page, `${product.url}/extension/pair#${'x'.repeat(43)}`, agent);
      await page.evaluate("document.documentElement.dataset.propuskExtension = '1.0.0'");
      await expect(heading(page, 'Ответьте расширению')).toBeVisible();
      await say(page, 'refused');
      await expect(heading(page, 'Расширение не подключено')).toBeVisible();
      await say(page, 'failed');
      await expect(heading(page, 'Расширение не смогло войти')).toBeVisible();
      // The page is loaded anew with it.
      const anew = page.waitForEvent('load');
      await page.getByRole('button', { name: 'Получить новый код' }).click();
      await anew;
      await expect(page).not.toHaveURL(/x{43}$/);
      expect(codeOf(page)).toMatch(/^#[\w-]{20,}$/);
      await say(page, 'yes');
      await expect(heading(page, 'Вы вошли в расширение')).toBeVisible();
    });

    test('without a code, and without a session, it says what to do', async ({ page }) => {
      await enter(page, `${product.url}/extension/pair`, null);
      await page.evaluate("document.documentElement.dataset.propuskExtension = '1.0.0'");
      await expect(heading(page, 'Нужен код')).toBeVisible();
      await page.getByRole('link', { name: 'Войти в консоль и получить код' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
    });
  });
}
