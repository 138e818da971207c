import { expect, type Route } from '@playwright/test';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { createSites } from '@propusk/contract/sites';
import { choose, dialogOf, enter, row, startConsole, test } from '../support/console.ts';

/** The confirmation of a deletion counts the users who would lose access. */
let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  const users: number[] = [];
  for (const name of ['petr', 'anna', 'oleg'])
    users.push((await console.call(await console.agent(owner, `${name}@romashka.test`), me)).id);
  const body = ['crm.romashka.test', 'wiki.romashka.test'].map((address) => ({ address }));
  const { rows } = await console.call(owner, createSites, { body });
  const sites = rows.map(({ id }) => id);
  await console.call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1, users, sites } });
  // The first agent keeps access to the site crm through another policy.
  await console.call(owner, createPolicy, {
    body: { name: 'Гости', proxyId: 1, users: users.slice(0, 1), sites: sites.slice(0, 1) },
  });
});

const asked = [
  ['sites', '/dashboard/creator/domains', 'wiki.romashka.test', 'Доступ к 1 сайту потеряют 3 пользователя.'],
  ['policies', '/dashboard/creator/politics', 'Продажи', 'Доступ к 2 сайтам потеряют 3 пользователя.'],
  ['policies', '/dashboard/creator/politics', 'Гости', 'Доступ никто не потеряет.'],
  ['users', '/dashboard/creator/users', 'anna@romashka.test', 'Доступ к 2 сайтам потеряет 1 пользователь.'],
] as const;

for (const [list, path, name, sentence] of asked)
  test(`the confirmation of a deletion in the list of ${list} says: ${sentence}`, async ({ page }) => {
    await enter(page, `${product.url}${path}`, owner);
    await choose(page, name, 'Удалить');
    const dialog = dialogOf(page);
    await expect(dialog.getByText(sentence)).toBeVisible();
    await dialog.getByRole('button', { name: 'Нет' }).click();
    await expect(row(page, name)).toBeVisible();
  });

test('a user can confirm a deletion although the count of users who lose access failed to load', async ({
  page,
}) => {
  await page.route('**/loss', (route) => route.abort());
  await enter(page, `${product.url}/dashboard/creator/politics`, owner);
  await choose(page, 'Гости', 'Удалить');
  const dialog = dialogOf(page);
  await expect(dialog.getByText('Не удалось посчитать, кто потеряет доступ.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Да' }).click();
  await expect(row(page, 'Гости')).toHaveCount(0);
});

test('the confirmation of a deletion stays open until the reply, and shows a failure once', async ({
  page,
}) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  await choose(page, 'crm.romashka.test', 'Удалить');
  const dialog = dialogOf(page);
  const replies: Route[] = [];
  await page.route('**/api/domain-allowed/*', (route) => void replies.push(route));
  for (const reply of ['failure', 'success']) {
    await dialog.getByRole('button', { name: 'Да', exact: true }).click();
    await expect.poll(() => replies.length).toBe(1);
    await page.keyboard.press('Escape');
    await page.mouse.click(3, 3);
    await expect(dialog.getByRole('button', { name: 'Нет' })).toBeDisabled();
    const [route] = replies.splice(0);
    if (reply === 'success') await route?.continue();
    else {
      await route?.fulfill({ status: 500, body: '' });
      await expect(dialog.getByRole('alert')).toHaveText('Ошибка на стороне сервера');
      await expect(page.getByText('Ошибка на стороне сервера')).toHaveCount(1);
    }
  }
  await expect(page.getByRole('status').filter({ hasText: 'Успешное удаление!' })).toBeVisible();
  await expect(dialog).toHaveCount(0);
  await expect(row(page, 'crm.romashka.test')).toHaveCount(0);
});
