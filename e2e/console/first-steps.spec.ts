import { expect } from '@playwright/test';
import { createPolicy } from '@propusk/contract/policies';
import { createSite, createSites, listSites } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { dialogOf, enter, field, row, saveOf, startConsole, stored, test } from '../support/console.ts';
import { evidence } from '../support/stubbed-replies.ts';

/** The onboarding card above the list of sites («Первые шаги») shows the company's real progress. */
let owner: string;
let busy: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  busy = await console.owner('owner@lutik.test');
  const body = ['crm.lutik.test', 'wiki.lutik.test'].map((address) => ({ address }));
  await console.call(busy, createSites, { body });
});
const open = { checkOnboarding: 'true' };
const agent = { email: 'agent@romashka.test', name: 'Анна', surname: 'Орлова', password: 'correct horse' };

test('the onboarding card marks the next step and counts the completed ones', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, owner, open);
  const steps = page.getByRole('region', { name: 'Первые шаги' });
  await expect(steps.getByText('0 из 6')).toBeVisible();
  await expect(steps.getByRole('button', { name: 'Сайт', exact: true })).toHaveAttribute(
    'aria-current',
    'step',
  );
  await steps.getByRole('button', { name: 'Указать адрес сайта' }).click();
  await field(dialogOf(page), 'Адрес').fill('crm.romashka.test');
  // Without the owner in the field, the save creates no policy.
  await dialogOf(page).getByRole('combobox', { name: 'Кому открыть' }).press('Backspace');
  await page.keyboard.press('Tab');
  await saveOf(dialogOf(page)).click();
  await expect(dialogOf(page).getByText('Сначала назначьте сайту политику доступа')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(steps.getByText('1 из 6')).toBeVisible();
  await expect(steps.getByRole('button', { name: 'Политика' })).toHaveAttribute('aria-current', 'step');

  // Without a reload, the card shows a step that was completed through the api.
  const { rows } = await product.call(owner, listSites);
  const sites = rows.map(({ id }) => id);
  const users = [(await product.call(owner, createUser, { body: agent })).id];
  await product.call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1, sites, users } });
  await expect(steps.getByText('3 из 6')).toBeVisible();
  await expect(steps.getByRole('button', { name: 'Замок' })).toHaveAttribute('aria-current', 'step');
  await expect(steps.getByText('Вставьте строки замка на сервере сайта', { exact: false })).toBeVisible();
  // A completed step can be opened again.
  await steps.getByRole('button', { name: 'Агент: сделано' }).click();
  await expect(steps.getByText('Пригласите агента', { exact: false })).toBeVisible();
});

test('an empty list of sites has one primary button, and the onboarding card opens the lock and the probe', async ({
  page,
}) => {
  const fresh = await product.owner('owner@iris.test');
  await enter(page, `${product.url}/dashboard/creator/domains`, fresh, open);
  await expect(page.getByText('Сайтов пока нет')).toBeVisible();
  await expect(page.getByRole('main').locator('.mantine-Button-root:not([data-variant])')).toHaveText([
    'Добавить',
  ]);
  const body = { ...agent, email: 'agent@iris.test' };
  const users = [(await product.call(fresh, createUser, { body })).id];
  const politics = [
    (await product.call(fresh, createPolicy, { body: { name: 'Сотрудники', proxyId: 1, users } })).id,
  ];
  const site = await product.call(fresh, createSite, { body: { address: 'crm.iris.test', politics } });
  await page.reload();
  const steps = page.getByRole('region', { name: 'Первые шаги' });
  await steps.getByRole('button', { name: 'Защитить crm.iris.test' }).click();
  await expect(page.getByRole('dialog', { name: 'Замок: crm.iris.test' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await product.sql(`insert into site_checks (company_id, site_id, state, shown_verdict, shown_at, finished_at)
    select company_id, id, 'done', 'closed', now(), now() from sites where id = ${site.id}`);
  await page.reload();
  await steps.getByRole('button', { name: 'Проверить crm.iris.test' }).click();
  await expect(page.getByRole('dialog', { name: 'Проверка: crm.iris.test' })).toBeVisible();
});

test('a folded onboarding card stays folded over a reload, and unfolds again', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, busy, open);
  const steps = page.getByRole('region', { name: 'Первые шаги' });
  const head = steps.getByRole('button', { name: /Первые шаги/ });
  await head.click();
  await expect(head).toHaveAttribute('aria-expanded', 'false');
  expect(await stored(page, 'firstSteps')).toBe('folded');
  await page.reload();
  await expect(head).toHaveAttribute('aria-expanded', 'false');
  await head.click();
  await expect(steps.getByRole('button', { name: 'Политика' })).toBeVisible();
});

test('the onboarding card disappears once every step is complete', async ({ page }) => {
  let done = false;
  await page.route('**/api/company/evidence', async (route) => {
    await route.fulfill({ json: { ...evidence, visited: done, firstStepsDone: done } });
  });
  await enter(page, `${product.url}/dashboard/creator/domains`, busy, open);
  const steps = page.getByRole('region', { name: 'Первые шаги' });
  await expect(steps.getByText('5 из 6')).toBeVisible();
  done = true;
  await expect(steps.getByText('Готово: сайт закрыт от посторонних', { exact: false })).toBeVisible();
  await page.reload();
  await expect(row(page, 'crm.lutik.test')).toBeVisible();
  await expect(steps).toHaveCount(0);
  // The same browser shows the card to the owner of a company that has not completed the steps.
  done = false;
  await page.reload();
  await expect(steps.getByText('5 из 6')).toBeVisible();
});

test('the onboarding card that failed to load is one line with a retry', async ({ page }) => {
  let failing = true;
  await page.route('**/api/company/evidence', (route) =>
    failing ? route.fulfill({ status: 500, body: '' }) : route.continue(),
  );
  await enter(page, `${product.url}/dashboard/creator/domains`, busy, open);
  const steps = page.getByRole('region', { name: 'Первые шаги' });
  await expect(steps.getByText('Первые шаги не загрузились')).toBeVisible();
  expect((await steps.boundingBox())?.height).toBeLessThan(48);
  failing = false;
  await steps.getByRole('button', { name: 'Повторить' }).click();
  await expect(steps.getByText('1 из 6')).toBeVisible();
});

test('the screen of a phone shows the onboarding card and five sites below it', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const many = await product.owner('owner@vasilek.test');
  const body = [1, 2, 3, 4, 5, 6].map((n) => ({ address: `site-${n}.vasilek.test` }));
  await product.call(many, createSites, { body });
  await enter(page, `${product.url}/dashboard/creator/domains`, many);
  await expect(page.getByRole('region', { name: 'Первые шаги' })).toBeVisible();
  for (const n of [1, 2, 3, 4, 5])
    await expect(row(page, `site-${n}.vasilek.test`)).toBeInViewport({ ratio: 1 });
});

test('a click on a row or Enter on its name opens the edit dialog, and selecting text in the row does not', async ({
  page,
}) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, busy);
  const line = row(page, 'wiki.lutik.test');
  await line.getByText('Не назначены').or(line.getByRole('cell').nth(2)).first().click();
  await expect(field(dialogOf(page), 'Адрес')).toHaveValue('wiki.lutik.test');
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
  await line.getByRole('button', { name: 'wiki.lutik.test', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(field(dialogOf(page), 'Адрес')).toHaveValue('wiki.lutik.test');
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
  const date = await line.locator('time').first().boundingBox();
  if (date === null) throw new Error('The row shows no date');
  await page.mouse.move(date.x + 1, date.y + date.height / 2);
  await page.mouse.down();
  await page.mouse.move(date.x + date.width - 1, date.y + date.height / 2, { steps: 5 });
  await page.mouse.up();
  expect(await page.evaluate('getSelection().toString()')).not.toBe('');
  await expect(dialogOf(page)).toHaveCount(0);
  await page.mouse.click(1, 300);
  // A click on a button inside the row does not open the row's dialog.
  await line.getByRole('button', { name: /^Действия/ }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await expect(dialogOf(page)).toHaveCount(0);
});
