import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { updateMyCompany } from '@propusk/contract/companies';
import { confirmSecondFactor, startSecondFactor } from '@propusk/contract/second-factor';
import { appCode } from '@propusk/test-kit/api/app-code';
import {
  choose,
  dialogOf,
  enter,
  heading,
  row,
  screensOf,
  startConsole,
  stored,
  test,
} from '../support/console.ts';

/**
 * The second factor in the console: enabling it, signing in with it, losing it, and a company that requires
 * it.
 */
const PASSWORD = 'correct horse';
const personal = '/dashboard/user/personal-data';
const product = startConsole(async () => {});
let serial = 0;

/** Registers a company with an owner and an agent, both signed in. */
async function people() {
  const n = ++serial;
  const [ownerEmail, email] = [`owner${n}@romashka.test`, `petr${n}@romashka.test`];
  const owner = await product.owner(ownerEmail);
  return { owner, ownerEmail, agent: await product.agent(owner, email), email };
}

/** Enables a user's second factor. @returns the secret; the current code is used up */
async function enrol(token: string): Promise<string> {
  const { secret } = await product.call(token, startSecondFactor, { body: { currentPassword: PASSWORD } });
  await product.call(token, confirmSecondFactor, { body: { code: appCode(secret) } });
  return secret;
}

const card = (page: Page) => page.getByRole('region', { name: 'Второй фактор', exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const passwordField = (page: Page) =>
  page
    .getByRole('region', { name: /^(Второй фактор|Новые запасные коды|Выключить второй фактор)$/ })
    .getByLabel(/^Текущий пароль/);
const codeField = (page: Page) => page.getByRole('textbox', { name: 'Код из приложения' });

/** Enables the second factor in the browser. @returns the secret and the recovery codes */
async function walkThrough(page: Page): Promise<{ secret: string; codes: string[] }> {
  await passwordField(page).fill('wrong horse');
  await button(page, 'Продолжить').click();
  await expect(page.getByRole('alert').filter({ hasText: 'Проверьте введённые данные' })).toBeVisible();
  await passwordField(page).fill(PASSWORD);
  await button(page, 'Продолжить').click();
  const qr = page.getByRole('img', { name: 'QR-код для приложения' });
  await expect(qr).toBeVisible();
  // The QR code has a size, so the Content-Security-Policy did not block the image.
  await expect
    .poll(() => page.evaluate<number>(`document.querySelector('img[alt^="QR"]').naturalWidth`))
    .toBeGreaterThan(0);
  const secret = (await card(page).locator('code').innerText()).replace(/\s/g, '');
  const app = await page.getByRole('link', { name: 'Открыть в приложении' }).getAttribute('href');
  expect(new URL(app ?? '').searchParams.get('secret')).toBe(secret);
  await codeField(page).fill('000000');
  await button(page, 'Включить').click();
  await expect(page.getByRole('alert')).toContainText('Проверьте введённые данные');
  await expect(page.getByText('Код не подошёл. Дождитесь следующего')).toBeVisible();
  await codeField(page).fill(appCode(secret));
  await button(page, 'Включить').click();
  await expect(page.getByText('Сохраните запасные коды')).toBeVisible();
  const codes = await page.getByRole('list', { name: 'Запасные коды' }).getByRole('listitem').allInnerTexts();
  expect(codes).toHaveLength(10);
  return { secret, codes };
}

async function typeLogin(page: Page, email: string): Promise<void> {
  await page.goto(new URL('/auth/login', product.url).href);
  await page.getByRole('textbox', { name: 'Почта' }).fill(email);
  await page.getByLabel('Пароль', { exact: true }).fill(PASSWORD);
  await button(page, 'Войти').click();
}

async function fits(page: Page): Promise<void> {
  const [wide, seen] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(wide).toBeLessThanOrEqual(seen ?? 0);
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('a user enables the second factor, and signs in with a code or a recovery code', async ({
      page,
      context,
    }) => {
      const { agent, email } = await people();
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await enter(page, product.url + personal, agent);
      await button(page, 'Включить второй фактор').click();
      const { secret, codes } = await walkThrough(page);
      await fits(page);
      await button(page, 'Копировать').click();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(codes.join('\n'));
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        button(page, 'Скачать файлом').click(),
      ]);
      const text = await readFile(await file.path(), 'utf8');
      for (const code of [email, ...codes]) expect(text).toContain(code);
      await button(page, 'Коды сохранены').click();
      await expect(card(page)).toContainText('Запасных кодов осталось: 10.');

      await page.evaluate('localStorage.removeItem("access_token")');
      await typeLogin(page, email);
      await expect(heading(page, 'Подтвердите вход')).toBeVisible();
      await expect(codeField(page)).toBeFocused();
      expect(await stored(page, 'access_token')).toBeNull();
      await fits(page);
      await codeField(page).fill('000000');
      await button(page, 'Войти').click();
      await expect(page.getByRole('alert')).toContainText('проверьте, что время на телефоне');
      // "Back" keeps the typed values.
      await button(page, 'Назад').click();
      await expect(page.getByRole('textbox', { name: 'Почта' })).toHaveValue(email);
      await expect(page.getByLabel('Пароль', { exact: true })).toHaveValue(PASSWORD);
      await button(page, 'Войти').click();
      await codeField(page).fill(appCode(secret, 1));
      await button(page, 'Войти').click();
      await expect(heading(page, 'Сайты')).toBeVisible();

      await page.evaluate('localStorage.removeItem("access_token")');
      await typeLogin(page, email);
      await codeField(page).fill(codes[0]?.toLowerCase() ?? '');
      await button(page, 'Войти').click();
      await expect(heading(page, 'Сайты')).toBeVisible();
      await page.goto(product.url + personal);
      await expect(card(page)).toContainText('Запасных кодов осталось: 9.');
    });

    test('a user needs the password and a code for new recovery codes, and to turn the second factor off', async ({
      page,
    }) => {
      const { agent } = await people();
      const secret = await enrol(agent);
      await enter(page, product.url + personal, agent);
      await button(page, 'Новые запасные коды').click();
      await passwordField(page).fill(PASSWORD);
      await codeField(page).fill(appCode(secret, 1));
      await button(page, 'Получить коды').click();
      const codes = page.getByRole('list', { name: 'Запасные коды' }).getByRole('listitem');
      await expect(codes).toHaveCount(10);
      const [first = ''] = await codes.allInnerTexts();
      await button(page, 'Коды сохранены').click();
      await button(page, 'Выключить').click();
      await expect(page.getByText('Войти можно будет с одним паролем')).toBeVisible();
      await button(page, 'Отмена').click();
      await button(page, 'Выключить').click();
      await passwordField(page).fill(PASSWORD);
      await codeField(page).fill(first);
      await button(page, 'Выключить').click();
      await expect(page.getByText('Второй фактор выключен')).toBeVisible();
      await expect(button(page, 'Включить второй фактор')).toBeVisible();
    });

    test("an owner requires the second factor of everyone, and resets an agent's lost second factor", async ({
      page,
      browser,
    }) => {
      const { owner, agent, email } = await people();
      const theirs = await (await browser.newContext({ viewport })).newPage();
      await enter(theirs, product.url + personal, agent);
      await expect(heading(theirs, 'Персональные данные')).toBeVisible();

      await enter(page, `${product.url}/dashboard/creator/company`, owner);
      await expect(card(page)).toContainText('По желанию каждого');
      await expect(button(page, 'Требовать от всех')).toHaveCount(0);
      await card(page).getByRole('link', { name: 'Включить себе' }).click();
      // The page of a required second factor starts the setup without a click.
      await walkThrough(page);
      await button(page, 'Коды сохранены').click();
      await page.goto(`${product.url}/dashboard/creator/company`);
      await button(page, 'Требовать от всех').click();
      const question = dialogOf(page);
      await expect(question).toContainText('Сейчас его нет у 1 пользователя из 2.');
      await question.getByRole('button', { name: 'Требовать', exact: true }).click();
      await expect(page.getByText('Второй фактор теперь требуется')).toBeVisible();
      await expect(card(page)).toContainText('Требуется от всех');
      await fits(page);

      await theirs.goto(`${product.url}/dashboard/user/domains`);
      await expect(heading(theirs, 'Включите второй фактор')).toBeVisible();
      await expect(theirs.getByText('Компания «ООО „Ромашка“» открывает сайты')).toBeVisible();
      await fits(theirs);
      await walkThrough(theirs);
      await button(theirs, 'Коды сохранены').click();
      await expect(heading(theirs, 'Сайты')).toBeVisible();

      await page.goto(`${product.url}/dashboard/creator/users`);
      const name = new RegExp(email);
      await expect(row(page, name).getByText('Второй фактор включён')).toBeAttached();
      await choose(page, name, 'Сбросить второй фактор');
      await expect(dialogOf(page)).toContainText('Открытые сеансы завершатся');
      await dialogOf(page).getByRole('button', { name: 'Сбросить второй фактор' }).click();
      await expect(page.getByText('Второй фактор сброшен')).toBeVisible();
      await expect(row(page, name).getByText('Второй фактор включён')).toHaveCount(0);
      await theirs.reload();
      await expect(heading(theirs, 'Вход')).toBeVisible();
      await typeLogin(theirs, email);
      await expect(heading(theirs, 'Включите второй фактор')).toBeVisible();
      await button(theirs, 'Выйти').click();
      await expect(heading(theirs, 'Вход')).toBeVisible();
      await theirs.context().close();
    });

    test('after a conflicting change of the company, a second click requires the second factor', async ({
      page,
    }) => {
      const { owner } = await people();
      await enrol(owner);
      await enter(page, `${product.url}/dashboard/creator/company`, owner);
      await button(page, 'Требовать от всех').click();
      const dialog = dialogOf(page);
      await expect(dialog).toBeVisible();
      await product.call(owner, updateMyCompany, { body: { companySite: 'new.romashka.test' } });
      const confirmation = dialog.getByRole('button').last();
      await confirmation.click();
      await expect(dialog.getByRole('alert')).toContainText('запись изменил кто-то другой');
      await confirmation.click();
      await expect(dialog).toHaveCount(0);
      await expect(card(page)).toContainText('Требуется от всех');
    });

    test('the page asks before a navigation discards unsaved recovery codes', async ({ page }) => {
      const { ownerEmail } = await people();
      const owner = await product.signIn(ownerEmail);
      const secret = await enrol(owner);
      await enter(page, `${product.url}/dashboard/personal-data`, owner);
      await button(page, 'Новые запасные коды').click();
      await passwordField(page).fill(PASSWORD);
      await page.getByRole('textbox', { name: /^Код/ }).fill(appCode(secret, 1));
      await button(page, 'Получить коды').click();
      const codes = page.getByRole('list', { name: 'Запасные коды' });
      await expect(codes).toBeVisible();
      const question = page.getByRole('dialog', { name: 'Уйти со страницы?' });
      const logo = page.getByRole('banner').getByRole('link', { name: 'Пропуск: к списку сайтов' });
      await logo.click();
      await expect(question).toContainText('запасные коды');
      await button(page, 'Остаться').click();
      await expect(question).toHaveCount(0);
      await expect(codes).toBeVisible();
      await page.getByRole('banner').getByRole('button', { name: 'Выйти' }).click();
      await expect(page.getByRole('dialog')).toContainText('запасные коды');
      await button(page, 'No').click();
      await expect(codes).toBeVisible();
      await Promise.all([page.waitForEvent('download'), button(page, 'Скачать файлом').click()]);
      await logo.click();
      await expect(heading(page, 'Сайты')).toBeVisible();
    });

    test('an open page asks for the second factor as soon as the company requires it', async ({ page }) => {
      const { owner, agent } = await people();
      await enter(page, `${product.url}/dashboard/user/domains`, agent);
      await expect(heading(page, 'Сайты')).toBeVisible();
      await enrol(owner);
      await product.call(owner, updateMyCompany, { body: { secondFactorRequired: true } });
      await page
        .getByRole('searchbox')
        .or(page.getByLabel('Поиск', { exact: false }))
        .first()
        .fill('crm');
      await expect(heading(page, 'Включите второй фактор')).toBeVisible();
    });

    test('an admin is advised to enable the second factor, and can postpone it on this browser', async ({
      page,
    }) => {
      const companies = `${product.url}/dashboard/admin/companies`;
      await enter(page, companies, await product.admin());
      const advice = page.getByRole('region', { name: 'Второй фактор' });
      await expect(advice).toContainText('узнает только ваш пароль');
      await fits(page);
      await advice.getByRole('link', { name: 'Включить' }).click();
      await expect(passwordField(page)).toBeVisible();
      await page.goto(companies);
      await advice.getByRole('button', { name: 'Позже' }).click();
      await expect(advice).toHaveCount(0);
      await page.reload();
      await expect(heading(page, 'Компании')).toBeVisible();
      await expect(advice).toHaveCount(0);
      // The banner returns after a month. Code of the banner that loads late must not shift the page.
      await page.route('**/factor-banner-*.js', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await route.continue();
      });
      await page.evaluate(
        `localStorage.second_factor_later = localStorage.second_factor_later.replace(/:.*/, ':' + (Date.now() - 1))`,
      );
      await page.reload();
      await expect(heading(page, 'Компании')).toBeVisible();
      expect(await advice.isVisible()).toBe(true);
    });
  });
}
