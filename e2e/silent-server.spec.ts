import { expect, type Page, type Route } from '@playwright/test';
import { createSite } from '@propusk/contract/sites';
import {
  choose,
  dialogOf,
  enter,
  field,
  heading,
  row,
  saveOf,
  startConsole,
  stored,
  test,
} from './console.ts';

/** A server that is slow, or accepts a request and never replies. The console stays usable and says what it knows. */
const creator = '/dashboard/creator';
let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('irina@romashka.test');
  await console.call(owner, createSite, { body: { address: 'crm.romashka.test' } });
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

test('a dialog closes with the reply of its own call, while the list still reloads', async ({ page }) => {
  await enter(page, `${product.url}${creator}/domains`, owner);
  await expect(row(page, 'crm.romashka.test')).toBeVisible();
  await add(page);
  await field(dialogOf(page), 'Адрес').fill('slow.romashka.test');
  const release = await hold(page, '**/api/domain-allowed?*');
  await saveOf(dialogOf(page)).click();
  await expect(toast(page, 'Успешное создание!')).toBeVisible();
  await expect(dialogOf(page)).toHaveCount(0);
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

test('a policy created inside the form of a site shows its name, while the list of policies still reloads', async ({
  page,
}) => {
  await enter(page, `${product.url}${creator}/domains`, owner);
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
