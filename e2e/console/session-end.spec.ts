import { expect, type Page } from '@playwright/test';
import { logout } from '@propusk/contract/auth';
import { confirmSecondFactor, startSecondFactor } from '@propusk/contract/second-factor';
import { listSites } from '@propusk/contract/sites';
import { appCode } from '@propusk/test-kit/api/app-code';
import {
  enter,
  field,
  heading,
  row,
  saveOf,
  screensOf,
  startConsole,
  stored,
  test,
} from '../support/console.ts';

/** Sessions that end while the console is open: the user signs in again in a dialog over a changed form. */
const PASSWORD = 'correct horse';
const path = '/dashboard/creator/domains';
const emails = { owner: 'irina@romashka.test', other: 'oleg@lutik.test' };
let serial = 0;
const product = startConsole(async (console) => {
  await console.owner(emails.owner);
  await console.owner(emails.other);
});

const form = (page: Page) => page.getByRole('dialog', { name: 'Новый сайт' });
const again = (page: Page) => page.getByRole('dialog', { name: 'Сеанс завершён' });
const answer = (page: Page) => again(page).getByRole('button', { name: 'Войти' }).click();

/**
 * Types a new site's address into the form, and then ends the session on the server.
 * @returns the address
 */
async function typeAndEnd(page: Page, token: string): Promise<string> {
  serial += 1;
  const address = `site-${serial}.romashka.test`;
  await enter(page, product.url + path, token);
  await page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true }).first().click();
  await field(form(page), 'Адрес').click();
  await field(form(page), 'Адрес').fill(address);
  await product.call(token, logout);
  return address;
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('a user whose session ended during an edit signs in over the form, and the typed values are saved', async ({
      page,
    }) => {
      const token = await product.signIn(emails.owner);
      const address = await typeAndEnd(page, token);
      await saveOf(form(page)).click();
      await expect(again(page)).toContainText('Всё, что вы ввели, осталось на месте');
      await expect(field(again(page), 'Почта')).toHaveValue(emails.owner);
      const password = again(page).getByLabel('Пароль', { exact: true });
      await expect(password).toBeFocused();
      // Escape does not close the dialog.
      await page.keyboard.press('Escape');
      await password.fill('wrong horse');
      await answer(page);
      await expect(again(page).getByRole('alert')).toContainText('Неверная почта или пароль');
      await password.fill(PASSWORD);
      await password.press('Enter');
      await expect(again(page)).toHaveCount(0);
      await expect(form(page)).toHaveCount(0);
      await expect(row(page, address)).toHaveCount(1);
      expect(await stored(page, 'access_token')).not.toBe(token);
      // The stored token is that of the new session, so a reload works.
      await page.reload();
      await expect(row(page, address)).toHaveCount(1);
    });

    test('another user who signs in over a form of the previous user never sees its values, not even with Back', async ({
      page,
    }) => {
      const address = await typeAndEnd(page, await product.signIn(emails.owner));
      await saveOf(form(page)).click();
      await field(again(page), 'Почта').fill(emails.other);
      await again(page).getByLabel('Пароль', { exact: true }).fill(PASSWORD);
      await answer(page);
      await expect(heading(page, 'Сайты')).toBeVisible();
      await expect(page.getByRole('dialog')).toHaveCount(0);
      if (screen === 'desktop') {
        await expect(page.getByRole('banner').getByTitle(emails.other)).toBeVisible();
      }
      await page.goBack();
      await expect(page.locator(`input[value="${address}"]`)).toHaveCount(0);
      const { rows } = await product.call(await product.signIn(emails.other), listSites);
      expect(rows).toEqual([]);
    });

    test('after the session ended, the choice to leave without saving opens the login page', async ({
      page,
    }) => {
      await typeAndEnd(page, await product.signIn(emails.owner));
      await saveOf(form(page)).click();
      await again(page).getByRole('button', { name: 'Выйти без сохранения' }).click();
      await expect(heading(page, 'Вход')).toBeVisible();
      expect(await stored(page, 'access_token')).toBeNull();
    });

    test('the sign-in dialog over a form also asks for the code of the second factor', async ({ page }) => {
      serial += 1;
      const email = `factor-${serial}@romashka.test`;
      const token = await product.owner(email);
      const { secret } = await product.call(token, startSecondFactor, {
        body: { currentPassword: PASSWORD },
      });
      await product.call(token, confirmSecondFactor, { body: { code: appCode(secret) } });
      const address = await typeAndEnd(page, token);
      await saveOf(form(page)).click();
      await again(page).getByLabel('Пароль', { exact: true }).fill(PASSWORD);
      await answer(page);
      const code = field(again(page), 'Код из приложения или запасной код');
      await expect(code).toBeFocused();
      await code.fill(appCode(secret, 1));
      await answer(page);
      await expect(form(page)).toHaveCount(0);
      await expect(row(page, address)).toHaveCount(1);
    });

    test('a changed form stays open after a sign-out in another tab, and can be saved after a new sign-in', async ({
      page,
      context,
    }) => {
      const address = await typeAndEnd(page, await product.signIn(emails.owner));
      const other = await context.newPage();
      await other.goto(`${product.url}/help`);
      await other.evaluate(() => localStorage.removeItem('access_token'));
      await expect(again(page)).toBeVisible();
      const token = await product.signIn(emails.owner);
      await other.evaluate((value) => localStorage.setItem('access_token', value), token);
      await expect(again(page)).toHaveCount(0);
      await saveOf(form(page)).click();
      await expect(row(page, address)).toHaveCount(1);
    });

    test('a sign-in of another user in another tab discards a changed form without sending its values', async ({
      page,
      context,
    }) => {
      const address = await typeAndEnd(page, await product.signIn(emails.owner));
      const token = await product.signIn(emails.other);
      let known = () => {};
      const asked = new Promise<void>((resolve) => {
        known = resolve;
      });
      const sent: string[] = [];
      page.on('request', (request) => {
        const isTheirs = request.headers().authorization === `Bearer ${token}`;
        if (isTheirs && request.method() === 'POST') sent.push(request.postData() ?? '');
      });
      await page.route('**/api/me', async (route) => {
        await asked;
        await route.continue();
      });
      const other = await context.newPage();
      await other.goto(`${product.url}/help`);
      await other.evaluate((value) => localStorage.setItem('access_token', value), token);
      // The page has not yet loaded the user of the new token.
      await saveOf(form(page)).click();
      await expect(again(page)).toBeVisible();
      known();
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(heading(page, 'Сайты')).toBeVisible();
      await expect(row(page, address)).toHaveCount(0);
      expect(sent).toEqual([]);
      expect((await product.call(token, listSites)).rows).toEqual([]);
    });

    test('after a sign-out in another tab, only the same user returns to the open page', async ({
      page,
      context,
    }) => {
      const other = await context.newPage();
      await other.goto(`${product.url}/help`);
      for (const [email, expected] of [
        [emails.owner, 'Пользователи'],
        [emails.other, 'Сайты'],
      ] as const) {
        await enter(page, `${product.url}/dashboard/creator/users`, await product.signIn(emails.owner));
        await expect(heading(page, 'Пользователи')).toBeVisible();
        await other.evaluate(() => localStorage.removeItem('access_token'));
        await expect(heading(page, 'Вход')).toBeVisible();
        await page.getByRole('textbox', { name: 'Почта' }).fill(email);
        await page.getByLabel('Пароль', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Войти' }).click();
        await expect(heading(page, expected)).toBeVisible();
      }
    });

    test('the login page says once that the session ended, if no form had unsaved changes', {
      tag: ['@4.9'],
    }, async ({ page }) => {
      const token = await product.signIn(emails.owner);
      await enter(page, product.url + path, token);
      await expect(heading(page, 'Сайты')).toBeVisible();
      await product.call(token, logout);
      await page.reload();
      await expect(heading(page, 'Вход')).toBeVisible();
      await expect(page.getByText('Сеанс завершён. Войдите, чтобы продолжить')).toBeVisible();
      await expect(page.getByText('Рады видеть вас снова')).toHaveCount(0);
      await page.reload();
      await expect(page.getByText('Рады видеть вас снова')).toBeVisible();
    });

    test('a stored token with characters that an HTTP header forbids leads to the login page', async ({
      page,
    }) => {
      await enter(page, product.url + path, 'жетон');
      await expect(heading(page, 'Вход')).toBeVisible();
    });

    test('a console whose browser goes offline after the first load reports that at the first click', async ({
      page,
      context,
    }) => {
      await enter(page, product.url + path, await product.signIn(emails.owner));
      await expect(heading(page, 'Сайты')).toBeVisible();
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      await context.setOffline(true);
      await page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true }).first().click();
      await expect(page.getByRole('alert')).toContainText('Пропала связь с сервером', { timeout: 2_000 });
    });
  });
}
