import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, type Page } from '@playwright/test';
import { me } from '@propusk/contract/me';
import { register as registerCompany, registrationMode } from '@propusk/contract/registration';
import { choose, enter, field, heading, row, startConsole, test } from '../support/console.ts';
import { linkTo } from '../support/mailbox.ts';

/**
 * The product is public and has no mail server. The first company registers and confirms its email, or an admin confirms it;
 * later companies need an invitation.
 */
const startPublic = () =>
  startConsole(
    async () => {},
    ({ console: port }) => ({ PUBLIC_URL: `http://console.test:${port}` }),
  );
const product = startPublic();

const band = (page: Page) => page.getByRole('region', { name: 'Подтвердите почту' });

/** Fills the registration form and sends it. @param email null where the invitation has filled it in */
async function register(page: Page, email: string | null): Promise<void> {
  const main = page.getByRole('main');
  await field(main, 'Имя').fill('Ян Ли');
  await field(main, 'Название компании').fill('Ромашка');
  await field(main, 'Сайт компании').fill('romashka.test');
  if (email !== null) await field(main, 'Почта').fill(email);
  await field(main, 'Пароль').fill('correct horse');
  await field(main, 'Повторите пароль').fill('correct horse');
  await main.getByRole('checkbox').check();
  await main.getByRole('button', { name: 'Зарегистрироваться' }).click();
  await expect(heading(page, 'Сайты')).toBeVisible();
}

/** Runs `propusk mail`. @returns its output */
async function liveMails(): Promise<string> {
  const PUBLIC_URL = `http://console.test:${new URL(product.url).port}`;
  const env = { ...process.env, DATA_DIR: product.dataDir, PUBLIC_URL };
  const command = new URL('../../apps/supervisor/src/packaged/database-command.ts', import.meta.url).pathname;
  return (await promisify(execFile)('node', [command, 'mail'], { env })).stdout;
}

/** Replaces the host of a mailed link: `console.test` does not resolve in this browser. */
const reached = (link: string) => link.replace(/^http:\/\/console\.test:\d+/, product.url);

test('only the first company of a platform registers without an invitation', async ({
  page,
  context,
  browser,
}) => {
  await page.clock.install();
  await enter(page, `${product.url}/auth/register`, null);
  await register(page, 'owner@romashka.test');
  await expect(band(page)).toContainText('propusk mail');
  await band(page).getByRole('button', { name: 'Отправить ещё раз' }).click();
  await expect(page.getByText('Письмо записано на сервере')).toBeVisible();

  const other = await context.newPage();
  await other.goto(reached(await linkTo(product.dataDir, 'owner@romashka.test', 2)));
  await expect(heading(other, 'Подтвердите почту компании')).toBeVisible();
  expect(new URL(other.url()).hash).toBe('');
  await other.getByRole('button', { name: 'Подтвердить почту' }).click();
  await expect(heading(other, 'Сайты')).toBeVisible();
  await expect(other.getByText('Почта компании подтверждена')).toBeVisible();
  await expect(band(other)).toHaveCount(0);
  // The banner disappears from the first tab within a minute, without a reload.
  await page.clock.fastForward('01:00');
  await expect(band(page)).toHaveCount(0);

  const stranger = await (await browser.newContext()).newPage();
  expect((await product.call(null, registrationMode)).mode).toBe('invited');
  await enter(stranger, `${product.url}/auth/login`, null);
  await expect(stranger.getByRole('link', { name: 'Забыли пароль?' })).toBeVisible();
  await stranger.waitForLoadState('networkidle');
  await expect(stranger.getByRole('link', { name: 'Зарегистрировать компанию' })).toHaveCount(0);
  await stranger.goto(`${product.url}/auth/register`);
  await expect(heading(stranger, 'Регистрация закрыта')).toBeVisible();
  await expect(stranger.getByRole('main')).toContainText('администратора этой платформы');
  await expect(stranger.locator('form')).toHaveCount(0);

  const admin = await (await browser.newContext()).newPage();
  await enter(admin, `${product.url}/dashboard/admin/companies`, await product.admin());
  await admin.getByRole('button', { name: 'Пригласить компанию' }).click();
  const dialog = admin.getByRole('dialog');
  await field(dialog, 'Почта').fill('guest@vasilek.test');
  await field(dialog, 'Ваш текущий пароль').fill('correct horse');
  await dialog.getByRole('button', { name: 'Сделать ссылку' }).click();
  const shown = dialog.getByRole('textbox', { name: 'Ссылка для регистрации' });
  await expect(dialog).toContainText('Почтовый сервер не настроен');
  const link = await shown.inputValue();
  expect(await linkTo(product.dataDir, 'guest@vasilek.test')).toBe(link);

  // The second invitation link replaces the first and is then withdrawn; the third link registers the company.
  await dialog.getByRole('button', { name: 'Закрыть' }).last().click();
  await admin.getByRole('link', { name: 'Приглашения' }).click();
  await expect(heading(admin, 'Приглашения компаний')).toBeVisible();
  await expect(row(admin, /guest@vasilek.test.*Ждёт регистрации/)).toBeVisible();
  const resend = async () => {
    await choose(admin, /guest@vasilek.test/, 'Пригласить ещё раз');
    await field(dialog, 'Ваш текущий пароль').fill('correct horse');
    await dialog.getByRole('button', { name: 'Сделать ссылку' }).click();
    const made = await shown.inputValue();
    await dialog.getByRole('button', { name: 'Закрыть' }).last().click();
    await expect(dialog).toHaveCount(0);
    return made;
  };
  expect(await liveMails()).toMatch(/Z {2}guest@vasilek\.test\n.+\nhttp.+#invitation=.+\n/);
  expect(await liveMails()).toContain(link);
  const second = await resend();
  expect(await linkTo(product.dataDir, 'guest@vasilek.test', 2)).toBe(second);
  const printed = await liveMails();
  expect(printed).toContain(second);
  expect(printed).not.toContain(link);
  await stranger.goto(reached(link));
  await expect(stranger.getByRole('main')).toContainText('Возможно, вам прислали новую ссылку');
  await choose(admin, /guest@vasilek.test/, 'Отозвать');
  await dialog.getByRole('button', { name: 'Да' }).click();
  await expect(row(admin, /guest@vasilek.test.*Отозвано/)).toBeVisible();
  await stranger.goto(reached(second));
  await expect(heading(stranger, 'Приглашение не действует')).toBeVisible();
  await expect(stranger.getByRole('main')).toContainText('отозвал приглашение');
  await expect(stranger.locator('form')).toHaveCount(0);
  await stranger.goto(reached(await resend()));
  const email = field(stranger.getByRole('main'), 'Почта');
  await expect(email).toHaveValue('guest@vasilek.test');
  await expect(email).not.toBeEditable();
  expect(new URL(stranger.url()).hash).toBe('');
  await register(stranger, null);
  await expect(band(stranger)).toHaveCount(0);
  expect(await liveMails()).not.toContain('guest@vasilek.test');
  await admin.reload();
  await expect(row(admin, /guest@vasilek.test.*Компания создана/)).toBeVisible();
});

test.describe('without the mailed link', () => {
  const unconfirmed = startPublic();

  test('an admin sees an unconfirmed company and confirms it', async ({ page }) => {
    const body = { name: 'Анна', companyName: 'Ромашка', companySite: 'romashka.test' };
    const { token } = await unconfirmed.call(null, registerCompany, {
      body: { ...body, email: 'owner@romashka.test', password: 'correct horse' },
    });
    await enter(page, `${unconfirmed.url}/dashboard/admin/companies`, await unconfirmed.admin());
    await expect(row(page, /Ромашка/)).toContainText('почта не подтверждена');
    await choose(page, /Ромашка/, 'Подтвердить без письма');
    const question = page.getByRole('dialog', { name: 'Подтвердить компанию «Ромашка» без письма?' });
    await question.getByRole('button', { name: 'Подтвердить без письма' }).click();
    await expect(page.getByText('Компания подтверждена')).toBeVisible();
    await expect(row(page, /Ромашка/)).not.toContainText('почта не подтверждена');
    expect((await unconfirmed.call(token, me)).company?.confirmed).toBe(true);
  });
});
