import { expect, type Page, type Route } from '@playwright/test';
import { createPolicy } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { createSite, createSites, deleteSite, listSites } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { isInTurn } from '@propusk/test-kit/turns';
import { choose, dialogOf, enter, heading, screens, startConsole, test } from '../support/console.ts';

/** Behaviour common to all lists: help, search, paging, URL state, and empty or failed lists. */
interface List {
  path: string;
  title: string;
  /** The call that returns the rows of the list. */
  call: string;
  search: string;
  columns: readonly string[];
  /** Text that only one row contains, and the search that finds that row. */
  row: string;
  typed: string;
  /** A read-only viewer has no 'Добавить' and no menus. */
  readOnly?: boolean;
  /** Tags of the specification sentences about this table's columns. */
  tags: readonly string[];
}
const creator = '/dashboard/creator';
const dayColumns = ['Создано', 'Изменено'];
const siteColumns = ['Адрес', 'Политики доступа', ...dayColumns];
const policyColumns = ['Название', 'Описание', 'Прокси', 'Доступ', ...dayColumns];

const lists: readonly List[] = [
  {
    path: `${creator}/domains`,
    title: 'Сайты',
    call: '**/api/domain-allowed?*',
    search: 'Поиск по адресу',
    columns: ['Адрес', 'Защита', 'Политики доступа', 'Посещение', ...dayColumns, 'Действия'],
    row: 'почта.ромашка.рф',
    typed: 'ПОЧТА',
    tags: ['@2.29', '@2.45'],
  },
  {
    path: `${creator}/proxies`,
    title: 'Прокси-серверы',
    call: '**/api/proxy?*',
    search: 'Поиск по хосту',
    columns: ['Хост', 'Тип', 'Порт', ...dayColumns, 'Действия'],
    row: 'proxy-11.romashka.test',
    typed: 'PROXY-11',
    tags: ['@2.29', '@2.39'],
  },
  {
    path: `${creator}/politics`,
    title: 'Политики доступа',
    call: '**/api/politics?*',
    search: 'Поиск политики',
    columns: [...policyColumns, 'Действия'],
    row: 'Политика 11',
    typed: 'описание 11',
    tags: ['@2.29', '@2.46'],
  },
  {
    path: `${creator}/users`,
    title: 'Пользователи',
    call: '**/api/users/company?*',
    search: 'Поиск пользователя',
    columns: ['Имя', 'Роли', 'Политики доступа', 'Посещение', ...dayColumns, 'Действия'],
    row: 'person-11@romashka.test',
    typed: 'петров-11',
    tags: ['@2.29', '@2.36'],
  },
  {
    path: '/dashboard/user/domains',
    title: 'Сайты',
    call: '**/api/domain-allowed?*',
    search: 'Поиск по адресу',
    columns: siteColumns,
    row: 'почта.ромашка.рф',
    typed: 'почта',
    readOnly: true,
    tags: ['@2.23'],
  },
  {
    path: '/dashboard/user/politics',
    title: 'Политики доступа',
    call: '**/api/politics?*',
    search: 'Поиск политики',
    columns: policyColumns,
    row: 'Политика 11',
    typed: 'ПОЛИТИКА 11',
    readOnly: true,
    tags: ['@2.24'],
  },
];

const COUNT = 12;

/** How a list fails to load: a network error, and a reply that does not come from the api. */
const failures = {
  desktop: [(route: Route) => route.abort(), 'Нет связи с сервером'],
  phone: [(route: Route) => route.fulfill({ status: 500, body: '' }), 'Ошибка на стороне сервера'],
} as const;

let owner: string;
let agent: string;
let newcomer: string;
let stranger: string;
let admin: string;
/** The server's reply to a request for the list of companies, before the first registration. */
let noCompanies: string;

const product = startConsole(async (console) => {
  admin = await console.admin();
  const answer = await fetch(`${console.url}/api/company?page=1&take=10`, {
    headers: { authorization: `Bearer ${admin}` },
  });
  noCompanies = await answer.text();
  owner = await console.owner('owner@romashka.test');
  newcomer = await console.owner('owner@novaya.test');
  stranger = await console.agent(newcomer, 'agent@novaya.test');
  const politics: number[] = [];
  for (let n = 1; n <= 12; n++) {
    const body = { name: `Политика ${n}`, description: `Описание ${n}`, proxyId: 1 };
    politics.push((await console.call(owner, createPolicy, { body })).id);
  }
  const addresses = Array.from({ length: 11 }, (_, index) => `site-${index + 1}.romashka.test`);
  await console.call(owner, createSites, {
    body: [...addresses, 'почта.ромашка.рф'].map((address) => ({ address, politics: politics.slice(0, 1) })),
  });
  for (let n = 1; n <= 11; n++) {
    const upstream = { host: `proxy-${n}.romashka.test`, port: 3128, username: 'login', password: 'secret' };
    await console.call(owner, createProxy, { body: upstream });
    if (n === 1) continue;
    const person = { name: 'Пётр', surname: `Петров-${n}`, email: `person-${n}@romashka.test` };
    await console.call(owner, createUser, { body: { ...person, password: 'correct horse' } });
  }
  agent = await console.agent(owner, 'person-1@romashka.test', politics);
});

const at = (path: string) => product.url + path;
const rowsOf = (page: Page) => page.locator('tbody').getByRole('row');
const bones = (page: Page) => page.locator('tbody tr[aria-hidden="true"]');
const search = (page: Page) => page.getByRole('searchbox');
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

for (const [screen, viewport] of screens) {
  test.describe(screen, () => {
    test.use({ viewport, timezoneId: 'UTC' });

    for (const [place, list] of lists.entries()) {
      if (screen === 'phone' && !isInTurn(place)) continue;
      const who = list.readOnly ? 'an agent reads' : 'an owner edits';

      test(`${who} the list at ${list.path}: help, columns, dates, paging, search and a failed load`, {
        tag: [
          ...['@2.27', '@2.28', '@2.30', '@2.31', '@2.33', '@2.34', '@4.18', '@4.20', '@4.21'],
          ...list.tags,
        ],
      }, async ({ page }) => {
        const pages = page.getByRole('navigation', { name: 'Страницы' });

        await test.step('the list shows skeletons while it loads', async () => {
          const answer = Promise.withResolvers<void>();
          const hold = async (route: Route) => {
            await answer.promise;
            await route.continue();
          };
          await page.route(list.call, hold);
          await enter(page, at(list.path), list.readOnly ? agent : owner);
          await expect(heading(page, list.title)).toBeVisible();
          const table = page.getByRole('table', { name: list.title });
          await expect(table).toHaveAttribute('aria-busy', 'true');
          await expect(bones(page)).toHaveCount(10);
          await expect(rowsOf(page)).toHaveCount(0);
          answer.resolve();
          await expect(rowsOf(page)).toHaveCount(10);
          await expect(bones(page)).toHaveCount(0);
          await page.unroute(list.call, hold);
        });

        await test.step('the list shows columns without sorting, and dates as DD.MM.YYYY', async () => {
          // On a phone, the cards of sites have no room for the last visit.
          const hidden = screen === 'phone' && list.path === '/dashboard/creator/domains' ? 'Посещение' : '';
          const columns = list.columns.filter((column) => column !== hidden);
          await expect(page.getByRole('columnheader')).toHaveText(columns);
          await expect(page.getByRole('columnheader').getByRole('button')).toHaveCount(0);
          await expect(page.locator('th[aria-sort]')).toHaveCount(0);
          const days = rowsOf(page).last().locator('time');
          await expect(days).toHaveCount(2);
          for (const day of await days.all()) {
            const iso = (await day.getAttribute('datetime')) ?? '';
            await expect(day).toHaveText(iso.slice(0, 10).split('-').toReversed().join('.'));
          }
          const add = page.getByRole('button', { name: 'Добавить', exact: true });
          await expect(add).toHaveCount(list.readOnly ? 0 : 1);
          const menus = await page.getByRole('button', { name: /^Действия/ }).count();
          expect(menus > 0).toBe(!list.readOnly);
        });

        await test.step('the help of the list opens and closes', async () => {
          const help = page.getByRole('main').getByRole('button', { name: 'Помощь' });
          const panel = page.getByRole('region', { name: 'Помощь' });
          await expect(panel).toHaveCount(0);
          await help.click();
          await expect(panel).toContainText(
            /Политики доступа дают пользователям доступ к определённым сайтам/,
          );
          await expect(help).toHaveAttribute('aria-expanded', 'true');
          await help.click();
          await expect(panel).toHaveCount(0);
        });

        await test.step('the list changes page and page size, and keeps both in the URL', async () => {
          await expect(pages).toContainText(`1–10 из ${COUNT}`);
          const size = page.getByLabel('Строк на странице');
          await expect(size).toHaveValue('10');
          await expect(size.getByRole('option')).toHaveText(['10', '20', '50', '100']);
          const asked = page.waitForRequest(list.call);
          await page.getByRole('button', { name: 'Следующая страница' }).click();
          expect(new URL((await asked).url()).searchParams.get('page')).toBe('2');
          await expect(rowsOf(page)).toHaveCount(COUNT - 10);
          await page.reload();
          await expect(pages).toContainText(`11–${COUNT} из ${COUNT}`);
          expect(param(page, 'page')).toBe('2');
          await size.selectOption('20');
          await expect(rowsOf(page)).toHaveCount(COUNT);
          expect([param(page, 'take'), param(page, 'page')]).toEqual(['20', null]);
        });

        await test.step('a search filters the rows, and stays in the URL', async () => {
          await expect(search(page)).toHaveAccessibleName(list.search);
          await search(page).fill(list.typed);
          await expect(rowsOf(page)).toHaveCount(1);
          await expect(rowsOf(page)).toContainText(list.row);
          expect([param(page, 'name'), param(page, 'take')]).toEqual([list.typed, '20']);
          await page.reload();
          await expect(search(page)).toHaveValue(list.typed);
          await expect(rowsOf(page)).toHaveCount(1);
          // The search replaced its history entry, so one step back returns to the previous page.
          await page.goBack();
          await expect(pages).toContainText(`11–${COUNT} из ${COUNT}`);
          await expect(search(page)).toHaveValue('');
          await page.goForward();
          await expect(search(page)).toHaveValue(list.typed);

          await search(page).fill('такого нет');
          await expect(page.getByText('По запросу «такого нет» ничего не нашлось')).toBeVisible();
          await expect(page.getByRole('table')).toHaveCount(0);
          await page.getByRole('main').getByRole('button', { name: 'Очистить поиск' }).last().click();
          await expect(rowsOf(page)).toHaveCount(COUNT);
          await expect(search(page)).toHaveValue('');
        });

        await test.step('a list that failed to load offers a retry', async () => {
          const [fail, says] = failures[screen];
          await page.route(list.call, fail);
          await page.reload();
          const failed = page.getByRole('alert');
          await expect(failed).toContainText('Список не загрузился');
          await expect(failed).toContainText(says);
          await page.unroute(list.call);
          await failed.getByRole('button', { name: 'Повторить' }).click();
          await expect(rowsOf(page)).toHaveCount(COUNT);
        });
      });
    }

    test('an empty list explains its content and offers to add the first row', {
      tag: ['@2.32', '@2.35', '@2.42', '@4.18'],
    }, async ({ page }) => {
      for (const [token, path, says, begins] of [
        [newcomer, `${creator}/domains`, 'Сайтов пока нет', 'Новый сайт'],
        [newcomer, `${creator}/politics`, 'Политик доступа пока нет', 'Новая политика доступа'],
        [stranger, '/dashboard/user/domains', 'Вам пока не открыт ни один сайт', null],
        [stranger, '/dashboard/user/politics', 'Вы пока не состоите ни в одной политике доступа', null],
      ] as const) {
        await enter(page, at(path), token);
        await expect(page.getByText(says)).toBeVisible();
        await expect(page.getByRole('table')).toHaveCount(0);
        await expect(page.getByRole('navigation', { name: 'Страницы' })).toHaveCount(0);
        const add = page.getByRole('main').getByRole('button', { name: 'Добавить', exact: true });
        // The onboarding card already leads to the first site, so the empty list of sites has no button of its own.
        await expect(add).toHaveCount(begins === null ? 0 : path.endsWith('/domains') ? 1 : 2);
        if (begins === null) continue;
        await add.last().click();
        await expect(dialogOf(page).getByRole('heading', { name: begins })).toBeVisible();
      }

      // Every company's list contains the platform's gateway, so the empty state needs a stubbed reply.
      await page.route('**/api/proxy?*', (route) => route.fulfill({ json: { rows: [], count: 0 } }));
      await enter(page, at(`${creator}/proxies`), newcomer);
      const main = page.getByRole('main');
      await expect(main).toContainText(
        'Прокси серверы отсутствуют, Добавьте собственный прокси сервер или перейдите на платный тариф',
      );
      await main.getByRole('button', { name: 'Попробовать 30 дней' }).click();
      await expect(dialogOf(page)).toContainText('обратитесь к менеджеру компании');
      await page.keyboard.press('Escape');
      await main.getByRole('button', { name: 'Платный тариф' }).click();
      await expect(dialogOf(page).getByRole('heading', { name: 'Платный прокси' })).toBeVisible();

      // Show the recorded reply of a server without companies.
      expect(noCompanies).toBe('[]');
      await page.route('**/api/company?*', (route) =>
        route.fulfill({ body: noCompanies, headers: { 'x-total-count': '0' } }),
      );
      await enter(page, at('/dashboard/admin/companies'), admin);
      await expect(page.getByText('Not found. Try refreshing the page or add an item')).toBeVisible();
    });

    test('the company page shows skeletons while the company loads, and offers a retry after a failure', {
      tag: ['@2.21', '@2.30', '@2.47'],
    }, async ({ page }) => {
      await page.route('**/api/company/me-company', (route) => route.abort());
      await enter(page, at(`${creator}/company`), owner);
      await expect(bones(page)).toHaveCount(1);
      const failed = page.getByRole('alert');
      await expect(failed).toContainText('Список не загрузился');
      await page.unroute('**/api/company/me-company');
      await failed.getByRole('button', { name: 'Повторить' }).click();
      await expect(page.getByRole('columnheader')).toHaveText(['Название', ...dayColumns, 'Действия']);
      await expect(rowsOf(page)).toHaveCount(1);
      await expect(rowsOf(page)).toContainText('ООО «Ромашка»');
    });

    test('deleting the last row of a page opens the previous page', {
      tag: ['@4.19', '@8.11'],
    }, async ({ page }) => {
      const name = `last-${screen}`;
      for (let n = 1; n <= 11; n++) {
        await product.call(owner, createSite, { body: { address: `${name}-${n}.romashka.test` } });
      }
      await enter(page, at(`${creator}/domains?page=2&name=${name}`), owner);
      await expect(page.getByText('11 из 11')).toBeVisible();
      await choose(page, `${name}-11.romashka.test`, 'Удалить');
      await dialogOf(page).getByRole('button', { name: 'Да', exact: true }).click();
      await expect(page.getByText('1–10 из 10')).toBeVisible();
      await expect(rowsOf(page)).toHaveCount(10);
      expect([param(page, 'page'), param(page, 'name')]).toEqual([null, name]);
      for (const { id, address } of (await product.call(owner, listSites)).rows) {
        if (address.startsWith(name)) await product.call(owner, deleteSite, { params: { id } });
      }
    });
  });
}
