import { expect, type Page } from '@playwright/test';
import { enter, heading, screensOf, startConsole, test } from '../support/console.ts';

/**
 * The console's side of pairing, in a browser without the extension: the download, the link with a code,
 * and the page that the link opens. extension-chromium.spec.ts tests the extension's side.
 */
let owner: string;
let agent: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  agent = await console.agent(owner, 'petr@romashka.test');
});

const codeOf = (page: Page) => new URL(page.url()).hash;
/** Sets the outcome that the extension's content script writes into the page. */
const say = (page: Page, word: string) =>
  page.evaluate(`document.documentElement.dataset.propuskPaired = '${word}'`);

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('the personal data page offers the extension, and one click creates a pairing code', async ({
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

    test('the pairing page shows the outcome from the extension, and offers a signed-in user a new code', async ({
      page,
    }) => {
      await enter(page, `${product.url}/extension/pair#${'x'.repeat(43)}`, agent);
      await page.evaluate("document.documentElement.dataset.propuskExtension = '1.0.0'");
      await expect(heading(page, 'Ответьте расширению')).toBeVisible();
      await say(page, 'refused');
      await expect(heading(page, 'Расширение не подключено')).toBeVisible();
      await say(page, 'failed');
      await expect(heading(page, 'Расширение не смогло войти')).toBeVisible();
      // The button for a new code reloads the page.
      const anew = page.waitForEvent('load');
      await page.getByRole('button', { name: 'Получить новый код' }).click();
      await anew;
      await expect(page).not.toHaveURL(/x{43}$/);
      expect(codeOf(page)).toMatch(/^#[\w-]{20,}$/);
      await say(page, 'yes');
      await expect(heading(page, 'Вы вошли в расширение')).toBeVisible();
    });

    test('the pairing page without a code or a session says what to do', async ({ page }) => {
      await enter(page, `${product.url}/extension/pair`, null);
      await page.evaluate("document.documentElement.dataset.propuskExtension = '1.0.0'");
      await expect(heading(page, 'Нужен код')).toBeVisible();
      await page.getByRole('link', { name: 'Войти в консоль и получить код' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
    });
  });
}
