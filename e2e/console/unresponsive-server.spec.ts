import { expect, type Page, type Request, type Route } from '@playwright/test';
import { createProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import {
  choose,
  dialogOf,
  enter,
  field,
  heading,
  row,
  saveOf,
  saveSite,
  startConsole,
  stored,
  test,
} from '../support/console.ts';

/** A server that is slow, or accepts a request and never replies. The console stays usable and reports the missing reply. */
const creator = '/dashboard/creator';
const DEADLINE = '00:20';
let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('irina@romashka.test');
  await console.call(owner, createSite, { body: { address: 'crm.romashka.test' } });
  const proxy = { host: 'old.romashka.test', port: 3128, username: 'login', password: 'secret' };
  await console.call(owner, createProxy, { body: proxy });
});

const add = (page: Page) =>
  page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true }).first().click();
const toast = (page: Page, sentence: string) => page.getByRole('status').filter({ hasText: sentence });
/** Never replies to a request. */
const hang = () => {};

/** Holds the replies to a list until the returned function is called. */
async function hold(page: Page, url: string): Promise<() => Promise<void>> {
  const held: Route[] = [];
  await page.route(url, (route) => void held.push(route));
  return async () => {
    await page.unroute(url);
    await Promise.all(held.map((route) => route.continue().catch(() => {})));
  };
}

test('a dialog closes when its own call is answered, before the list has reloaded', async ({ page }) => {
  await enter(page, `${product.url}${creator}/domains`, owner);
  await expect(row(page, 'crm.romashka.test')).toBeVisible();
  await add(page);
  await field(dialogOf(page), 'Адрес').fill('slow.romashka.test');
  const release = await hold(page, '**/api/domain-allowed?*');
  await saveSite(page);
  await expect(toast(page, 'Успешное создание!')).toBeVisible();
  await release();
  await expect(row(page, 'slow.romashka.test')).toBeVisible();

  const releaseAgain = await hold(page, '**/api/domain-allowed?*');
  await choose(page, 'slow.romashka.test', 'Удалить');
  await dialogOf(page).getByRole('button', { name: 'Да', exact: true }).click();
  await expect(toast(page, 'Успешное удаление!')).toBeVisible();
  await expect(dialogOf(page)).toHaveCount(0);
  await releaseAgain();
  await expect(row(page, 'slow.romashka.test')).toHaveCount(0);
});

test('a policy created inside the form of a user shows its name, while the list of policies still reloads', async ({
  page,
}) => {
  await enter(page, `${product.url}${creator}/users`, owner);
  await add(page);
  const dialog = dialogOf(page);
  const policies = dialog.getByRole('combobox', { name: 'Политики доступа' });
  await policies.click();
  await policies.fill('Склад');
  await page.route('**/api/politics', (route) =>
    route.request().method() === 'POST' ? route.continue() : hang(),
  );
  await page.getByRole('option', { name: /Склад/ }).click();
  await expect(toast(page, 'Успешное создание!')).toBeVisible();
  await expect(dialog.getByText('Склад', { exact: true })).toBeVisible();
});

test('a dialog whose save gets no reply can be closed, and saving again creates no second row', async ({
  page,
}) => {
  const keys: (string | undefined)[] = [];
  page.on('request', (request: Request) => {
    if (request.method() === 'POST') keys.push(request.headers()['idempotency-key']);
  });
  const create = async () => {
    await add(page);
    const values = { Хост: 'twin.romashka.test', Порт: '3129', Логин: 'login', Пароль: 'secret' };
    for (const [label, value] of Object.entries(values)) await field(dialogOf(page), label).fill(value);
    await saveOf(dialogOf(page)).click();
  };
  await enter(page, `${product.url}${creator}/proxies`, owner);
  await expect(row(page, 'old.romashka.test')).toBeVisible();
  // The server creates the row and never replies.
  await page.route('**/api/proxy', async (route) => {
    if (route.request().method() === 'POST') await route.fetch();
    else await route.continue();
  });
  await create();
  await expect
    .poll(async () =>
      (await product.sql(`select count(*) from proxies where host = 'twin.romashka.test'`)).includes('1'),
    )
    .toBe(true);
  await dialogOf(page).getByRole('button', { name: 'Прервать' }).click();
  await expect(dialogOf(page)).toHaveCount(0);
  await expect(page.getByText('Сохранение прервано')).toBeVisible();
  await expect(row(page, 'twin.romashka.test')).toHaveCount(1);

  await page.unroute('**/api/proxy');
  await create();
  await expect(dialogOf(page)).toHaveCount(0);
  await expect(row(page, 'twin.romashka.test')).toHaveCount(1);
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(keys[0]);
});

test('a save and a list report after 20 seconds that the server does not reply, and a retry works', async ({
  page,
}) => {
  await page.clock.install();
  await enter(page, `${product.url}${creator}/domains`, owner);
  await choose(page, 'crm.romashka.test', 'Редактировать');
  const dialog = dialogOf(page);
  await field(dialog, 'Адрес').fill('erp.romashka.test');
  await page.route('**/api/domain-allowed/*', hang);
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PUT'),
    saveOf(dialog).click(),
  ]);
  expect(sent.url()).toContain('/api/domain-allowed/');
  await page.clock.fastForward(DEADLINE);
  await expect(dialog.getByRole('alert')).toContainText('Сервер не ответил');
  await page.unroute('**/api/domain-allowed/*');
  await saveOf(dialog).click();
  await expect(dialog).toHaveCount(0);
  await expect(row(page, 'erp.romashka.test')).toHaveCount(1);

  await page.route('**/api/politics?*', hang);
  const asked = page.waitForRequest('**/api/politics?*');
  await page.goto(`${product.url}${creator}/politics`);
  await asked;
  await expect(heading(page, 'Политики доступа')).toBeVisible();
  await page.clock.fastForward(DEADLINE);
  const failed = page.getByRole('alert').filter({ hasText: 'Сервер не ответил' });
  await expect(failed).toBeVisible();
  await page.unroute('**/api/politics?*');
  await failed.getByRole('button', { name: 'Повторить' }).click();
  await expect(failed).toHaveCount(0);
});

test('a sign-out without a reply removes the token, and the login page says that the session may be open', async ({
  page,
}) => {
  await page.clock.install();
  await enter(page, `${product.url}${creator}/company`, await product.signIn('irina@romashka.test'));
  await page.route('**/api/auth/logout', hang);
  await page.getByRole('banner').getByRole('button', { name: 'Выйти' }).click();
  const [sent] = await Promise.all([
    page.waitForRequest('**/api/auth/logout'),
    dialogOf(page).getByRole('button', { name: 'Yes' }).click(),
  ]);
  expect(sent.method()).toBe('DELETE');
  expect(await stored(page, 'access_token')).toBeNull();
  await expect(page.getByRole('status').filter({ hasText: 'Выход' })).toBeVisible();
  await page.clock.fastForward('00:05');
  await expect(heading(page, 'Вход')).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Сервер не подтвердил выход');
  // The notice shows once.
  await page.reload();
  await expect(heading(page, 'Вход')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('without a reply from the server, the registration page shows its title and offers a retry', async ({
  page,
}) => {
  await page.clock.install();
  await page.route('**/api/auth/registration', hang);
  const asked = page.waitForRequest('**/api/auth/registration');
  await page.goto(`${product.url}/auth/register`);
  await asked;
  await expect(heading(page, 'Регистрация')).toBeVisible();
  await page.clock.fastForward(DEADLINE);
  const failed = page.getByRole('alert');
  await expect(failed).toContainText('Сервер не ответил');
  await page.unroute('**/api/auth/registration');
  await failed.getByRole('button', { name: 'Повторить' }).click();
  await expect(page.getByRole('textbox', { name: 'Название компании' })).toBeVisible();
});
