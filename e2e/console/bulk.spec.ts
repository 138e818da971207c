import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { createPolicy, listPolicies } from '@propusk/contract/policies';
import { createSites, listSites } from '@propusk/contract/sites';
import { companyUsers } from '@propusk/contract/users';
import { dialogOf, enter, row, screens, startConsole, test } from '../support/console.ts';

/** Selects many rows of a list and changes them with one call: a company with 520 sites and 500 users. */
const SITES = 520;
const USERS = 500;
const sites = '/dashboard/creator/domains';
const users = '/dashboard/creator/users';

let owner: string;
let serial = 0;
const product = startConsole(async () => {});

/** Registers a company with sites, agents, and the policies «Продажи» and «Склад»; the first agent is in both. */
async function create(of: { sites: number; users: number }): Promise<void> {
  const name = `bulk${serial++}`;
  owner = await product.owner(`${name}@romashka.test`);
  const body = Array.from({ length: of.sites }, (_, n) => ({ address: `s${n + 1}.${name}.test` }));
  await product.call(owner, createSites, { body });
  await product.sql(`insert into users (company_id, email, name, surname, password_hash, roles)
    select company_id, 'agent' || n || '@${name}.test', 'Агент', n, 'none', '{USER}'
    from users, generate_series(1, ${of.users}) n where email = '${name}@romashka.test'`);
  const { rows } = await product.call(owner, companyUsers, {});
  const agent = rows.find(({ name: first }) => first === 'Агент')?.id ?? 0;
  for (const policy of ['Продажи', 'Склад'])
    await product.call(owner, createPolicy, { body: { name: policy, proxyId: 1, users: [agent] } });
}

const bar = (page: Page) => page.getByRole('region', { name: 'Действия с выбранными' });
const choice = (page: Page, name: string) => page.getByRole('checkbox', { name: `Выбрать: ${name}` });
const toast = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });
const policy = async (name: string) =>
  (await product.call(owner, listPolicies, {})).rows.find((one) => one.name === name);

test('an owner adds 520 sites to a policy by four clicks', async ({ page }) => {
  await create({ sites: SITES, users: USERS });
  await enter(page, `${product.url}${sites}`, owner);
  await page.getByRole('checkbox', { name: `Выбрать все ${SITES}` }).click();
  await expect(bar(page)).toContainText(`Выбраны все ${SITES}`);
  await bar(page).getByRole('button', { name: 'Открыть через политику' }).click();
  await page.getByRole('listbox').getByRole('option', { name: 'Склад' }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByText(`Доступ к ${SITES} сайтам получит 1 пользователь.`)).toBeVisible();
  await dialog.getByRole('button', { name: 'Открыть' }).click();
  await expect(toast(page, 'Склад')).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  expect((await policy('Склад'))?.sites).toHaveLength(SITES);
  await expect(row(page, / s1\./)).toContainText('Склад');
});

test('the sites of a search are removed from a policy, and the preview counts who loses access', async ({
  page,
}) => {
  await create({ sites: 30, users: 2 });
  const { id = 0 } = (await policy('Продажи')) ?? {};
  const { rows } = await product.call(owner, listSites, {});
  await product.sql(`insert into policy_sites select company_id, ${id}, id from sites
    where id in (${rows.map((site) => site.id).join(',')})`);
  await enter(page, `${product.url}${sites}?name=s2`, owner);
  await page.getByRole('checkbox', { name: 'Выбрать все 11' }).click();
  await expect(bar(page)).toContainText('Выбраны все 11');
  await bar(page).getByRole('button', { name: 'Убрать из политики' }).click();
  await page.getByRole('listbox').getByRole('option', { name: 'Продажи' }).click();
  await expect(dialogOf(page).getByText('Доступ к 11 сайтам потеряет 1 пользователь.')).toBeVisible();
  await dialogOf(page).getByRole('button', { name: 'Убрать' }).click();
  await expect(toast(page, 'Убрано')).toBeVisible();
  expect((await policy('Продажи'))?.sites).toHaveLength(19);
});

test('a selection survives paging, and ends with Escape or another search', async ({ page }) => {
  await create({ sites: 25, users: 1 });
  await enter(page, `${product.url}${sites}`, owner);
  const boxes = page.locator('tbody').getByRole('checkbox');
  await boxes.nth(1).check();
  await boxes.nth(4).click({ modifiers: ['Shift'] });
  await expect(bar(page)).toContainText('Выбрано 4');
  await page.getByRole('button', { name: 'Следующая страница' }).click();
  await expect(row(page, / s11\./)).toBeVisible();
  await boxes.nth(0).check();
  await expect(bar(page)).toContainText('Выбрано 5');
  await page.goBack();
  await expect(boxes.nth(1)).toBeChecked();
  await expect(boxes.nth(0)).not.toBeChecked();
  await bar(page).getByRole('button', { name: 'Выбрать все 25' }).click();
  await expect(bar(page)).toContainText('Выбраны все 25');
  await bar(page).getByRole('button', { name: 'Только на этой странице' }).click();
  await expect(bar(page)).toContainText('Выбрано 10');
  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await boxes.nth(0).check();
  await page.getByRole('searchbox').fill('s1');
  await expect(page.getByText('1–10 из 11')).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
});

test('a click on a checkbox opens no dialog, and the row still opens by a click', async ({ page }) => {
  await create({ sites: 2, users: 1 });
  await enter(page, `${product.url}${sites}`, owner);
  await page.locator('tbody').getByRole('checkbox').first().check();
  await expect(bar(page)).toContainText('Выбрано 1');
  await expect(dialogOf(page)).toHaveCount(0);
  await row(page, / s1\./).getByText('Без политики').click();
  await expect(dialogOf(page)).toBeVisible();
});

test('a deletion that includes the owner’s account deletes nobody and names this account; without it, all others are deleted', async ({
  page,
}) => {
  await create({ sites: 1, users: 25 });
  await enter(page, `${product.url}${users}`, owner);
  await page.getByRole('checkbox', { name: 'Выбрать все 26' }).click();
  await expect(bar(page)).toContainText('Выбраны все 26');
  await bar(page).getByRole('button', { name: 'Удалить' }).click();
  const refused = dialogOf(page);
  await expect(refused.getByText('Ничего не изменилось')).toBeVisible();
  await expect(refused.getByRole('listitem')).toHaveCount(1);
  await expect(refused.getByRole('listitem')).toContainText('Нельзя удалить самого себя');
  await expect(refused.getByRole('listitem')).toContainText('@romashka.test');
  expect((await product.call(owner, companyUsers, {})).count).toBe(26);
  await refused.getByRole('button', { name: 'Убрать из выделения' }).click();
  await expect(bar(page)).toContainText('Выбрано 25');
  await bar(page).getByRole('button', { name: 'Удалить' }).click();
  const question = dialogOf(page).filter({ hasText: 'Удалить 25 пользователей?' });
  await expect(question.getByText('Доступ никто не потеряет.')).toBeVisible();
  await question.getByRole('button', { name: 'Удалить' }).click();
  await expect(toast(page, 'Успешное удаление!')).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  expect((await product.call(owner, companyUsers, {})).count).toBe(1);
});

test('a failed change of members keeps the dialog and the selection, and a failed preview can be retried', async ({
  page,
}) => {
  await create({ sites: 3, users: 1 });
  await enter(page, `${product.url}${sites}`, owner);
  await page.getByRole('checkbox', { name: 'Выбрать все 3' }).click();
  await page.route('**/members/preview', (route) => route.fulfill({ status: 500, body: '' }));
  await page.route('**/members', (route) => route.fulfill({ status: 500, body: '' }));
  await bar(page).getByRole('button', { name: 'Открыть через политику' }).click();
  await page.getByRole('listbox').getByRole('option', { name: 'Склад' }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('alert')).toContainText('Ошибка на стороне сервера', { timeout: 60_000 });
  await page.unroute('**/members/preview');
  await dialog.getByRole('button', { name: 'Повторить' }).click();
  await expect(dialog.getByText('Доступ к 3 сайтам получит 1 пользователь.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Открыть' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Ошибка на стороне сервера');
  await expect(bar(page)).toContainText('Выбрано 3');
  await page.unroute('**/members');
  await dialog.getByRole('button', { name: 'Открыть' }).click();
  await expect(toast(page, 'Добавлено')).toBeVisible();
});

test('sites are probed together, and sites that were probed just now are named', async ({ page }) => {
  await create({ sites: 3, users: 1 });
  await enter(page, `${product.url}${sites}`, owner);
  await page.getByRole('checkbox', { name: 'Выбрать все 3' }).click();
  await bar(page).getByRole('button', { name: 'Проверить сейчас' }).click();
  await expect(toast(page, 'Проверки в очереди: 3')).toBeVisible();
  await product.sql(`update site_checks set state = 'done', run = null,
    started_at = now() - case when site_id = (select min(site_id) from site_checks) then 0 else 1 end * interval '1 minute'`);
  await page.getByRole('checkbox', { name: 'Выбрать все 3' }).click();
  await bar(page).getByRole('button', { name: 'Проверить сейчас' }).click();
  await expect(dialogOf(page).getByText('Сделано 2 из 3')).toBeVisible();
  await expect(dialogOf(page).getByRole('listitem')).toContainText('Сайт только что проверяли');
});

test('invited agents among the selected users are invited again, and their links are shown without a mail server', async ({
  page,
}) => {
  await create({ sites: 1, users: 2 });
  await product.sql(`update users set invited = true where email like 'agent1@bulk${serial - 1}.test'`);
  await enter(page, `${product.url}${users}`, owner);
  await choice(page, 'Агент 2').check();
  await bar(page).getByRole('button', { name: 'Пригласить снова' }).click();
  await expect(page.getByText('Среди выбранных нет приглашённых')).toBeVisible();
  await choice(page, 'Агент 1').check();
  await bar(page).getByRole('button', { name: 'Пригласить снова' }).click();
  const links = page.getByRole('dialog', { name: 'Ссылки приглашённых' });
  await expect(links.getByRole('textbox')).toHaveCount(1);
  await expect(links.getByRole('textbox')).toHaveValue(/\/security\/login#token=/);
});

for (const [screen, viewport] of screens) {
  test(`the bar and its dialogs work by keyboard and pass axe, ${screen}`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await create({ sites: 12, users: 2 });
    await enter(page, `${product.url}${sites}`, owner);
    const first = page.locator('tbody').getByRole('checkbox').first();
    await first.focus();
    await page.keyboard.press('Space');
    await bar(page).getByRole('button', { name: 'Выбрать все 12' }).press('Enter');
    await expect(bar(page)).toContainText('Выбраны все 12');
    expect(await violations(page)).toEqual([]);
    await bar(page).getByRole('button', { name: 'Открыть через политику' }).press('Enter');
    await expect(page.getByRole('listbox').getByRole('option').first()).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(dialogOf(page).getByText('Доступ к 12 сайтам получит 1 пользователь.')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(toast(page, 'Добавлено')).toBeVisible();
    expect((await policy('Продажи'))?.sites).toHaveLength(12);
  });
}

async function violations(page: Page): Promise<unknown[]> {
  const { violations: found } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return found.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}

test('an ADMIN and an agent see no checkboxes in their lists', async ({ page }) => {
  await create({ sites: 1, users: 1 });
  const { id = 0 } = (await policy('Продажи')) ?? {};
  const agent = await product.agent(owner, `own${serial}@romashka.test`, [id]);
  await enter(page, `${product.url}/dashboard/user/politics`, agent);
  await expect(row(page, /Продажи/)).toBeVisible();
  await expect(page.locator('table').getByRole('checkbox')).toHaveCount(0);
  await enter(page, `${product.url}/dashboard/admin/users`, await product.admin());
  await expect(row(page, /@romashka\.test/).first()).toBeVisible();
  await expect(page.locator('table').getByRole('checkbox')).toHaveCount(0);
});
