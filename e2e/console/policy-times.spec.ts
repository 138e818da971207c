import { expect, type Page } from '@playwright/test';
import { createPolicy, listPolicies, updatePolicy } from '@propusk/contract/policies';
import { createUser } from '@propusk/contract/users';
import {
  choose,
  dialogOf,
  enter,
  field,
  row,
  saveOf,
  screens,
  startConsole,
  test,
} from '../support/console.ts';

/** The times of policies, and the ends of memberships. */
const policies = '/dashboard/creator/politics';
const users = '/dashboard/creator/users';
let owner: string;

const product = startConsole(async (console) => {
  owner = await console.owner('irina@romashka.test');
  const person = { email: 'anna@romashka.test', name: 'Анна', surname: 'Петрова', password: 'correct horse' };
  const anna = await console.call(owner, createUser, { body: person });
  await console.call(owner, createPolicy, { body: { name: 'Склад', proxyId: 1, users: [anna.id] } });
});

const cell = (page: Page, hour: string) => page.getByRole('gridcell', { name: hour, exact: true });
/** A day from today, as yyyy-mm-dd, and in the format of the console. */
const isoDay = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const day = (ahead: number) => isoDay(ahead).split('-').toReversed().join('.');
const stored = async () => (await product.call(owner, listPolicies)).rows[0];

test('an owner sets working hours by the keyboard alone, and a reopened policy shows the same hours', async ({
  page,
}) => {
  await enter(page, product.url + policies, owner);
  await choose(page, /Склад/, 'Редактировать');
  const dialog = dialogOf(page);
  const section = dialog.locator('summary', { hasText: 'Когда действует' });
  await expect(section).toContainText('Всегда');
  await section.press('Enter');
  await dialog.getByRole('button', { name: 'Очистить' }).press('Enter');
  await expect(dialog.getByText('Отметьте хотя бы один час')).toBeVisible();
  await expect(saveOf(dialog)).toBeDisabled();
  await page.keyboard.press('Tab');
  await expect(cell(page, 'Пн, 9:00–10:00')).toBeFocused();
  await page.keyboard.press('Space');
  for (let hour = 10; hour < 18; hour++) await page.keyboard.press('Shift+ArrowRight');
  for (let night = 0; night < 4; night++) await page.keyboard.press('Shift+ArrowDown');
  await expect(dialog.getByText('Пн–Пт 9:00–18:00')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Рабочие дни 9–18' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await page.keyboard.press('Enter');
  await saveOf(dialog).press('Enter');
  await expect(dialog).toHaveCount(0);
  expect((await stored())?.windows).toHaveLength(5);
  await expect(row(page, /Склад/)).toContainText(/Закрыта до|Открыта до/);
  await choose(page, /Склад/, 'Редактировать');
  await expect(dialog.getByText(/^Сейчас (открыта, закроется|закрыта, откроется) /)).toBeVisible();
  await expect(dialog.getByText('Пн–Пт 9:00–18:00')).toBeVisible();
  await expect(dialog.getByRole('gridcell', { selected: true })).toHaveCount(45);
});

test('a drag changes hours, and hours with minutes stay until the owner removes them', async ({ page }) => {
  const { id = 0 } = (await stored()) ?? {};
  await product.sql(`update policies set windows = '[[540, 1080], [1980, 2535]]' where id = ${id}`);
  await enter(page, `${product.url}${policies}/${id}/edit`, owner);
  const dialog = dialogOf(page);
  await expect(dialog.getByText('Пн 9:00–18:00; Вт 9:00–18:15')).toBeVisible();
  await cell(page, 'Ср, 9:00–10:00').hover();
  await page.mouse.down();
  await cell(page, 'Чт, 11:00–12:00').hover();
  await page.mouse.up();
  await expect(dialog.getByText('Пн 9:00–18:00; Вт 9:00–18:15; Ср–Чт 9:00–12:00')).toBeVisible();
  await dialog.getByRole('button', { name: 'Убрать часы: Вт 9:00–18:15' }).click();
  await dialog.getByRole('button', { name: 'Всегда' }).click();
  await saveOf(dialog).click();
  await expect(dialog).toHaveCount(0);
  expect((await stored())?.windows).toEqual([]);
});

test('an owner gives a membership an end, finds the user by it, and removes the end', async ({ page }) => {
  await enter(page, product.url + policies, owner);
  await choose(page, /Склад/, 'Редактировать');
  const dialog = dialogOf(page);
  await dialog.getByRole('combobox', { name: 'Срок для отдельных пользователей' }).click();
  await page.getByRole('option', { name: /Анна/ }).click();
  await field(dialog, 'Анна Петрова · anna@romashka.test').fill(day(5));
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await saveOf(dialog).click();
  expect((await sent).postDataJSON()).toEqual({
    ends: [expect.objectContaining({ until: expect.any(String) })],
  });
  await expect(dialog).toHaveCount(0);
  await page.goto(product.url + users);
  await page.getByRole('button', { name: 'Фильтр', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Кончается за 7 дней' }).click();
  await expect(page.getByRole('rowheader')).toHaveCount(1);
  await expect(row(page, /Анна/)).toContainText(`До ${day(5)}`);
  await choose(page, /Анна/, 'Редактировать');
  await dialog.getByRole('button', { name: 'Убрать срок: Склад' }).click();
  await saveOf(dialog).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Таких записей нет')).toBeVisible();
});

test('a policy that would never be open asks before the save', async ({ page }) => {
  await enter(page, product.url + policies, owner);
  await choose(page, /Склад/, 'Редактировать');
  await dialogOf(page).locator('summary', { hasText: 'Когда действует' }).click();
  await field(dialogOf(page), 'Действует до').fill(day(-1));
  await saveOf(dialogOf(page)).click();
  const question = page.getByRole('dialog', { name: /никому ничего не откроет/ });
  await question.getByRole('button', { name: 'Изменить срок' }).click();
  await expect(question).toHaveCount(0);
  expect((await stored())?.validUntil).toBeNull();
  await saveOf(dialogOf(page)).click();
  await question.getByRole('button', { name: 'Сохранить' }).click();
  await expect(row(page, /Склад/)).toContainText('Срок истёк');
});

test('an owner extends a policy and a membership in one step', async ({ page }) => {
  const dialog = dialogOf(page);
  const { id = 0, users: members = [] } = (await stored()) ?? {};
  const ends = [{ id: members[0]?.id ?? 0, until: isoDay(5) }];
  await product.call(owner, updatePolicy, {
    params: { id },
    body: { validUntil: isoDay(-1), ends },
  });
  await enter(page, product.url + policies, owner);
  await choose(page, /Склад/, 'Продлить');
  await dialogOf(page).getByRole('button', { name: 'Продлить' }).click();
  await expect(row(page, /Склад/)).toContainText(`До ${day(30)}`);
  await page.goto(product.url + users);
  await choose(page, /Анна/, 'Продлить');
  await expect(dialog.getByText(`Склад: до ${day(5)} → до ${day(35)}`)).toBeVisible();
  await field(dialog, 'Продлить до').fill(day(4));
  await expect(dialog.getByText(/^Выберите день позже/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Продлить' })).toBeDisabled();
  await field(dialog, 'Продлить до').fill(day(40));
  await dialog.getByRole('button', { name: 'Продлить' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(row(page, /Анна/)).toContainText(`До ${day(40)}`);
});

const [, [, phone]] = screens;
test.describe('phone', () => {
  test.use({ viewport: phone, hasTouch: true });

  test('the hours of a policy fit a phone, and a tap changes an hour', async ({ page }) => {
    const { id = 0 } = (await stored()) ?? {};
    await product.sql(`update policies set windows = '[[540, 1080]]' where id = ${id}`);
    await enter(page, `${product.url}${policies}/${id}/edit`, owner);
    await dialogOf(page).getByRole('button', { name: 'Рабочие дни 9–18' }).tap();
    await cell(page, 'Сб, 10:00–11:00').tap();
    await expect(dialogOf(page).getByText('Пн–Пт 9:00–18:00; Сб 10:00–11:00')).toBeVisible();
    for (const part of [page.locator('html'), dialogOf(page)])
      expect(await part.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(
        0,
      );
  });
});
