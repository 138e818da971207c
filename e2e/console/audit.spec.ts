import { expect, type Page } from '@playwright/test';
import { createPolicy, updatePolicy } from '@propusk/contract/policies';
import { createSite, deleteSite } from '@propusk/contract/sites';
import { createUser, updateUser } from '@propusk/contract/users';
import {
  dialogOf,
  enter,
  field,
  heading,
  row,
  saveSite,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';

/** The audit journal as an owner and an admin read it. */
const SECRET = 'the secret horse of Anna';
const owners = '/dashboard/creator/audit';
const platform = '/dashboard/admin/audit';
let owner: string;
let neighbour: string;
let admin: string;

const product = startConsole(
  async (console) => {
    admin = await console.admin();
    neighbour = await console.owner('boris@vasilek.test');
    await console.call(neighbour, createSite, { body: { address: 'crm.vasilek.ru' } });
    owner = await console.owner('irina@romashka.test');
    const person = (email: string, name: string, surname: string) =>
      console.call(owner, createUser, { body: { email, name, surname, password: 'correct horse' } });
    const anna = await person('anna@romashka.test', 'Анна', 'Иванова');
    const petr = await person('petr@romashka.test', 'Пётр', 'Орлов');
    const policy = await console.call(owner, createPolicy, {
      body: { name: 'Бухгалтерия', proxyId: 1, users: [petr.id] },
    });
    await console.call(owner, updatePolicy, { params: { id: policy.id }, body: { users: [anna.id] } });
    await console.call(owner, updateUser, { params: { id: anna.id }, body: { password: SECRET } });
    const site = await console.call(owner, createSite, {
      body: { address: 'почта.ромашка.рф', politics: [policy.id] },
    });
    await console.call(owner, deleteSite, { params: { id: site.id } });
  },
  () => ({}),
);

/** The event texts of the audit rows, newest first. */
const sentences = (page: Page) => page.getByRole('rowheader').locator('p:first-child');
const said = [
  'irina@romashka.test: удалён сайт почта.ромашка.рф',
  'irina@romashka.test: добавлен сайт почта.ромашка.рф',
  'irina@romashka.test: изменён пользователь anna@romashka.test: пароль: задан новый',
  'irina@romashka.test: изменена политика доступа «Бухгалтерия»: добавлены пользователи: Анна Иванова; убраны пользователи: Пётр Орлов',
  'irina@romashka.test: создана политика доступа «Бухгалтерия»',
  'irina@romashka.test: добавлен пользователь petr@romashka.test',
  'irina@romashka.test: добавлен пользователь anna@romashka.test',
  'irina@romashka.test: вход в консоль',
  'irina@romashka.test: зарегистрирована компания «ООО „Ромашка“»',
];
/** The date in Moscow, a number of days before today. */
const moscowDay = (before = 0) =>
  new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Moscow' }).format(Date.now() - before * 86_400_000);
/** Formats a day as the period fields show it: dd.mm.yyyy. */
const dotted = (day: string) => day.split('-').toReversed().join('.');

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test("an owner's audit journal shows the actor, action, time and address of each event in the company", async ({
      page,
    }) => {
      await enter(page, product.url + owners, owner);
      await expect(heading(page, 'Журнал')).toBeVisible();
      await expect(sentences(page)).toHaveText(said);
      const edited = row(page, /убраны пользователи/);
      await expect(edited).toContainText('127.0.0.1');
      const time = edited.locator('time');
      await expect(time).toHaveText(/сейчас|назад/);
      await expect(time).toHaveAttribute('title', /^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d МСК$/);
      await edited.getByText('Подробнее').click();
      await expect(edited.getByRole('term')).toHaveText('пользователи');
      await expect(edited.getByRole('definition')).toHaveText([
        'Было: − Пётр Орлов',
        'Стало: + Анна Иванова',
      ]);
      await expect(edited).toContainText('irina@romashka.test, владелец');
      // The journal says only that a secret changed, and shows no event of another company.
      expect(await page.content()).not.toContain(SECRET);
      await expect(page.getByText('vasilek')).toHaveCount(0);
    });

    test("the audit journal keeps search and period in the URL, and finds only events of the owner's company", async ({
      page,
    }) => {
      await enter(page, product.url + owners, owner);
      const search = page.getByRole('searchbox', { name: 'Кто или что' });
      await search.fill('БУХГАЛТЕРИЯ');
      await expect(sentences(page)).toHaveText([said[3] ?? '', said[4] ?? '']);
      await expect(page).toHaveURL(/name=/);
      await page.reload();
      await expect(sentences(page)).toHaveCount(2);
      await search.fill('vasilek');
      await expect(page.getByText('По запросу «vasilek» ничего не нашлось')).toBeVisible();
      await page.getByRole('main').getByRole('button', { name: 'Очистить поиск' }).last().click();
      await expect(sentences(page)).toHaveText(said);

      const [from, to] = [page.getByLabel('С', { exact: true }), page.getByLabel('По', { exact: true })];
      await to.fill(dotted(moscowDay(1)));
      await expect(page.getByText('Таких записей нет')).toBeVisible();
      await expect(page).toHaveURL(new RegExp(`to=${moscowDay(1)}`));
      await to.fill(dotted(moscowDay()));
      await expect(sentences(page)).toHaveText(said);
      await from.fill(dotted(moscowDay()));
      await expect(page).toHaveURL(new RegExp(`from=${moscowDay()}`));
      await page.reload();
      await expect(from).toHaveValue(dotted(moscowDay()));
      await expect(sentences(page)).toHaveText(said);

      const choose = async (action: string) => {
        await page.getByRole('button', { name: 'Фильтр', exact: true }).click();
        await page.getByRole('menuitemradio', { name: action, exact: true }).click();
      };
      await choose('удаление');
      await expect(sentences(page)).toHaveText(said.slice(0, 1));
      await page.reload();
      await expect(page.getByRole('button', { name: 'Убрать фильтр: удаление' })).toBeVisible();
      await expect(sentences(page)).toHaveCount(1);
      await choose('запрос проверки сайта');
      await page.getByRole('main').getByRole('button', { name: 'Сбросить фильтры' }).click();
      await expect(sentences(page)).toHaveText(said);
    });

    test("an admin's audit journal shows the events of all companies, each with the name of its company", async ({
      page,
    }) => {
      await enter(page, product.url + platform, admin);
      await expect(heading(page, 'Журнал')).toBeVisible();
      const search = page.getByRole('searchbox', { name: 'Кто, что, компания' });
      await search.fill('crm.vasilek');
      await expect(sentences(page)).toHaveText(['boris@vasilek.test: добавлен сайт crm.vasilek.ru']);
      await search.fill('Ромашка');
      await expect(page.locator('[data-label="Компания"]').first()).toHaveText('ООО «Ромашка»');
      // Two companies have this name, so the rows of both appear.
      await expect(page.getByText(/1–10 из \d+/)).toBeVisible();
      await search.fill('admin@propusk');
      await expect(page.locator('[data-label="Компания"]').first()).toHaveText('Платформа');
    });

    test('an audit journal that failed to load offers a retry', async ({ page }) => {
      let failing = true;
      await page.route('**/api/audit?*', (route) =>
        failing ? route.fulfill({ status: 500, body: '' }) : route.continue(),
      );
      await enter(page, product.url + owners, owner);
      await expect(page.getByText('Список не загрузился')).toBeVisible();
      failing = false;
      await page.getByRole('main').getByRole('button', { name: 'Повторить' }).click();
      await expect(sentences(page)).toHaveText(said);
    });
  });
}

test("an owner's change in the console appears in the journal at once", async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, neighbour);
  await page.getByRole('button', { name: 'Добавить' }).first().click();
  await field(dialogOf(page), 'Адрес').fill('new.vasilek.ru');
  await saveSite(page);
  await expect(row(page, /new\.vasilek/)).toBeVisible();
  await page.getByRole('navigation').getByRole('link', { name: 'Журнал' }).click();
  await expect(sentences(page).first()).toHaveText('boris@vasilek.test: добавлен сайт new.vasilek.ru');
  await expect(page.getByText('Ромашка.рф')).toHaveCount(0);
});

test.describe('in an English browser', () => {
  test.use({ locale: 'en-US' });

  test('the period fields of the audit journal accept Russian dates and refuse a day that does not exist', async ({
    page,
  }) => {
    await enter(page, product.url + owners, owner);
    const from = page.getByLabel('С', { exact: true });
    await expect(from).toHaveAttribute('placeholder', 'дд.мм.гггг');
    await from.pressSequentially('02032026');
    await expect(from).toHaveValue('02.03.2026');
    await expect(page).toHaveURL(/from=2026-03-02/);
    await expect(sentences(page)).toHaveText(said);
    await from.fill('31.02.2026');
    await expect(page.getByText('Такого дня нет. Пример: 31.12.2026')).toBeVisible();
    await expect(page).toHaveURL(/from=2026-03-02/);
    await from.fill('');
    await expect(page).not.toHaveURL(/from=/);
    await page.reload();
    await expect(from).toHaveValue('');
  });
});

test('an agent cannot open the audit journal', async ({ page }) => {
  const agent = await product.signIn('petr@romashka.test');
  await enter(page, product.url + owners, agent);
  await expect(page).toHaveURL(/\/dashboard\/user\/domains$/);
  await expect(page.getByRole('link', { name: 'Журнал' })).toHaveCount(0);
});
