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

    test('the personal data page leads to the installation for the browser in use', async ({ page }) => {
      for (const [path, token] of [
        ['/dashboard/personal-data', owner],
        ['/dashboard/user/personal-data', agent],
      ] as const) {
        await enter(page, product.url + path, token);
        const card = page.getByRole('region', { name: 'Расширение для браузера' });
        await card.getByRole('link', { name: 'Подключить расширение' }).click();
        await expect(heading(page, 'Ищем расширение…')).toBeVisible();
        await expect(heading(page, 'Шаг 1 из 2: установите расширение')).toBeVisible();
        const archive = page.getByRole('link', { name: 'Скачать архив' });
        await expect(archive).toHaveAttribute('href', '/downloads/propusk-chromium.zip');
        const code = page.waitForURL(/\/extension\/pair#[\w-]{20,}$/);
        await page.getByRole('button', { name: 'Уже установлено' }).click();
        await code;
        await expect(page.getByText('Расширение в этом браузере не найдено')).toBeVisible();
        // An extension that reloads the page must not get an expired code.
        await expect(page).toHaveURL(/\/extension\/pair$/);
      }
    });

    test('the page of the installation names the store and the signed file, and warns of a build with another id', async ({
      page,
    }) => {
      const builds = {
        consoleUrl: product.url,
        signed: {
          version: '1.0.0',
          chromiumId: 'a'.repeat(32),
          firefoxId: 'propusk@pass.test',
          mozilla: true,
        },
        stores: { chromium: `https://store.test/detail/${'b'.repeat(32)}`, firefox: null },
      };
      await page.route('**/api/extension', (route) => route.fulfill({ json: builds }));
      await enter(page, `${product.url}/extension/pair`, agent);
      const add = page.getByRole('link', { name: 'Добавить в браузер' });
      await expect(add).toHaveAttribute('href', builds.stores.chromium);
      const firefox = await page.context().browser()?.newPage({ userAgent: 'Gecko/20100101 Firefox/140.0' });
      await firefox?.route('**/api/extension', (route) => route.fulfill({ json: builds }));
      await firefox?.goto(`${product.url}/extension/pair`);
      await expect(firefox?.getByRole('link', { name: 'Добавить в браузер' }) ?? add).toHaveAttribute(
        'href',
        '/downloads/propusk.xpi',
      );
      await firefox?.close();
      const found = (id: string) =>
        page.evaluate(`document.documentElement.dataset.propuskId = '${id}';
          document.documentElement.dataset.propuskExtension = '1.0.0'`);
      const warning = page.getByText('не та сборка');
      for (const known of ['a', 'b']) {
        await page.reload();
        await found(known.repeat(32));
        await expect(heading(page, 'Шаг 2 из 2: подключите расширение')).toBeVisible();
        await expect(warning).toBeHidden();
      }
      await page.reload();
      await found('c'.repeat(32));
      await expect(warning).toBeVisible();
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
      await expect(heading(page, 'Шаг 2 из 2: подключите расширение')).toBeVisible();
      await page.getByRole('link', { name: 'Войти в консоль' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
      await page.getByLabel('Почта').fill('petr@romashka.test');
      await page.getByLabel('Пароль', { exact: true }).fill('correct horse');
      await page.getByRole('button', { name: 'Войти' }).click();
      await expect(heading(page, 'Шаг 2 из 2: подключите расширение')).toBeVisible();
      await expect(page).toHaveURL(`${product.url}/extension/pair`);
    });
  });
}
