import { expect } from '@playwright/test';
import { createPolicy } from '@propusk/contract/policies';
import { createSites } from '@propusk/contract/sites';
import { dialogOf, enter, field, heading, row, startConsole, test } from '../support/console.ts';

/** The dashboard's keyboard shortcuts, and the command dialog of Ctrl-K. */
let owner: string;
let agent: string;
let admin: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  const body = ['crm.romashka.test', 'wiki.romashka.test'].map((address) => ({ address }));
  const { rows } = await console.call(owner, createSites, { body });
  const sites = rows.map(({ id }) => id);
  const policy = await console.call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1, sites } });
  agent = await console.agent(owner, 'petr@romashka.test', [policy.id]);
  admin = await console.admin();
});
const domains = '/dashboard/creator/domains';

test('the key / focuses the search, n opens the form of a new row, and ? lists the shortcuts', async ({
  page,
}) => {
  await enter(page, `${product.url}${domains}`, owner);
  await expect(row(page, 'crm.romashka.test')).toBeVisible();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox');
  await expect(search).toBeFocused();
  // In a text field, shortcut keys type text.
  await page.keyboard.type('n/?');
  await expect(search).toHaveValue('n/?');
  await expect(dialogOf(page)).toHaveCount(0);
  await search.fill('');
  await search.blur();
  await page.keyboard.press('n');
  await expect(field(dialogOf(page), 'Адрес')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
  await page.keyboard.press('Shift+Slash');
  await expect(page.getByRole('dialog', { name: 'Клавиши' })).toBeVisible();
});

test('a user turns off the shortcuts without Ctrl, and they stay off after a reload', async ({ page }) => {
  await enter(page, `${product.url}${domains}`, owner);
  await expect(row(page, 'crm.romashka.test')).toBeVisible();
  await page.keyboard.press('Shift+Slash');
  await dialogOf(page).getByRole('checkbox', { name: 'Клавиши без Ctrl' }).uncheck();
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
  await page.reload();
  await expect(row(page, 'crm.romashka.test')).toBeVisible();
  await page.keyboard.press('n');
  await page.keyboard.press('Shift+Slash');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox')).not.toBeFocused();
  await expect(dialogOf(page)).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /Страница, сайт/ })).toBeFocused();
});

test('Ctrl-K opens a found site, a user and an action', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/company`, owner);
  await expect(heading(page, 'Компания')).toBeVisible();
  const where = page.getByRole('combobox', { name: /Страница, сайт/ });

  await page.keyboard.press('Control+k');
  await where.fill('wiki');
  await expect(page.getByRole('option', { name: 'wiki.romashka.test' })).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/domains\/\d+\/edit$/);
  await expect(field(dialogOf(page), 'Адрес')).toHaveValue('wiki.romashka.test');
  await page.keyboard.press('Escape');
  await expect(row(page, 'wiki.romashka.test')).toBeVisible();
  await expect(page).toHaveURL(/domains$/);

  await page.keyboard.press('Control+k');
  await where.fill('petr');
  await page.getByRole('option', { name: 'petr@romashka.test' }).click();
  await expect(field(dialogOf(page), 'Почта')).toHaveValue('petr@romashka.test');
  await page.keyboard.press('Escape');
  // The shortcut does nothing while the dialog fades out.
  await expect(dialogOf(page)).toHaveCount(0);
  await expect(row(page, 'petr@romashka.test')).toBeVisible();

  await page.keyboard.press('Control+k');
  await where.fill('добавить пол');
  await expect(page.getByRole('option')).toHaveCount(2);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(heading(page, 'Политики доступа')).toBeVisible();
  await expect(field(dialogOf(page), 'Название')).toBeVisible();
  await expect(page).toHaveURL(/politics\/new$/);
});

test('Ctrl-K opens each of two policies with the same name', async ({ page }) => {
  for (const description of ['первая', 'вторая']) {
    await product.call(owner, createPolicy, { body: { name: 'Склад', description, proxyId: 1 } });
  }
  await enter(page, `${product.url}${domains}`, owner);
  await expect(row(page, 'crm.romashka.test')).toBeVisible();
  const opened: string[] = [];
  for (const place of [0, 1]) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Страница, сайт/ }).fill('склад');
    await expect(page.getByRole('option')).toHaveCount(2);
    await page.getByRole('option').nth(place).click();
    const description = field(dialogOf(page), 'Описание');
    await expect(description).toHaveValue(/первая|вторая/);
    opened.push(await description.inputValue());
    await page.keyboard.press('Escape');
    await expect(dialogOf(page)).toHaveCount(0);
  }
  expect(opened.toSorted()).toEqual(['вторая', 'первая']);
});

for (const [who, path, typed, options] of [
  ['an agent', '/dashboard/user/domains', 'crm', ['crm.romashka.test']],
  ['an admin', '/dashboard/admin/companies', 'ромашка', ['ООО «Ромашка»']],
] as const)
  test(`Ctrl-K finds for ${who} only objects that the role can see`, async ({ page }) => {
    await enter(page, `${product.url}${path}`, who === 'an agent' ? agent : admin);
    await expect(row(page, typed === 'crm' ? /crm/ : /Ромашка/)).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Страница, сайт/ }).fill(typed);
    // Only options of the list box count, because a filter of the page has options too.
    await expect(page.getByRole('listbox').getByRole('option')).toHaveText([...options]);
  });
