import { readFile } from 'node:fs/promises';
import { expect, type Page, type Route, test } from '@playwright/test';
import { chunkOf } from '../support/scenario.ts';
import { type Replies, STUBBED, stubConsole } from '../support/stubbed-console.ts';
import {
  admin,
  company,
  evidence,
  figures,
  owner,
  storage,
  tariff,
  visits,
} from '../support/stubbed-replies.ts';

/** The statistics, the open connections, the access log and the agent's own visits, on stubbed replies. */

const page = '/dashboard/creator/statistics';
const replies: Replies = {
  'GET /me': owner,
  'GET /company/evidence': evidence,
  'GET /statistics': figures,
  'GET /company/records': storage,
  'GET /visits/support': { until: null },
  'GET /visits/live': { rows: visits.rows.slice(0, 2), next: null },
  'GET /visits': visits,
  'GET /users/company': { rows: [], count: 0 },
  'GET /domain-allowed': { rows: [], count: 0 },
};

/** Opens a page with stubbed replies. @returns the replies, which a test can change */
async function open(tab: Page, path: string, more: Replies = {}): Promise<Replies> {
  const all = { ...replies, ...more };
  await stubConsole(tab, all);
  await tab.goto(STUBBED + path);
  return all;
}
const searchOf = (route: Route) => new URL(route.request().url()).searchParams;
/** The element that shows a labelled figure and its comparison with the previous period. */
const figure = (tab: Page, label: string) => tab.locator('dl > div').filter({ hasText: label }).first();

test('every figure has a comparison in words with the previous period', async ({ page: tab }) => {
  const asked: URLSearchParams[] = [];
  await open(tab, page, {
    'GET /statistics': (route) => {
      asked.push(searchOf(route));
      return route.fulfill({ json: figures });
    },
  });
  await expect(figure(tab, 'Посещения')).toContainText(/1.240/);
  await expect(figure(tab, 'Посещения')).toContainText(/на 24 % больше: было 1.000/);
  await expect(figure(tab, 'Отказы')).toContainText('на 50 % меньше: было 30');
  await expect(figure(tab, 'Трафик')).toContainText('3,4 ГБ');
  await expect(figure(tab, 'Активные пользователи')).toContainText(': столько же');
  await expect(tab.getByRole('figure', { name: /^Столбцы/ }).locator('canvas')).toBeVisible();
  await tab.getByText('Таблица').click();
  await expect(tab.locator('details').getByRole('row')).toHaveCount(8);
  const days = (Date.parse(asked[0]?.get('to') ?? '') - Date.parse(asked[0]?.get('from') ?? '')) / 86_400_000;
  expect(days).toBe(7);
});

test('the chart shows totals and the previous period, follows the colour scheme, and zooms by dragging', async ({
  page: tab,
}) => {
  await open(tab, page);
  const chart = tab.getByRole('figure', { name: /^Столбцы/ });
  await expect(chart).toContainText(/Посещения: 1.240/);
  await expect(chart).toContainText(/Посещения за прошлый период: 1.000/);
  await expect(chart).not.toContainText('--');
  /** The colour of the chart's middle bar. */
  const bar = () =>
    tab.evaluate<string>(`(() => {
      const [canvas, over] = ['canvas', '.u-over'].map((one) => document.querySelector('figure ' + one));
      const [x, y] = [over.offsetLeft + over.clientWidth / 2, over.offsetTop + over.clientHeight * 0.95];
      return String(canvas.getContext('2d').getImageData(x, y, 1, 1).data);
    })()`);
  await expect.poll(bar).toMatch(/,255$/);
  const light = await bar();
  await tab.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(bar).not.toBe(light);
  const dark = await bar();
  await tab.reload();
  await expect(chart).toContainText(/Посещения за прошлый период: 1.000/);
  await expect.poll(bar).toBe(dark);
  const over = chart.locator('.u-over');
  const { width = 0 } = (await over.boundingBox()) ?? {};
  await over.hover({ position: { x: width / 2 - 9, y: 60 } });
  await expect(chart.getByRole('tooltip')).toContainText('Посещения: 240');
  await expect(chart.getByRole('tooltip')).toContainText('Отказы: 3');
  await over.hover({ position: { x: width * 0.36, y: 60 } });
  await tab.mouse.down();
  await over.hover({ position: { x: width * 0.64, y: 60 } });
  await tab.mouse.up();
  await expect(tab).toHaveURL(/days=own/);
  await expect(tab.getByRole('combobox', { name: 'Период' })).toHaveValue('own');
  const search = new URL(tab.url()).searchParams;
  const days = ['to', 'from'].map((end) => Date.parse(search.get(end) ?? '') / 86_400_000);
  expect((days[0] ?? 0) - (days[1] ?? 0)).toBe(2);
  await expect.poll(() => chart.locator('.u-select').evaluate(({ clientWidth }) => clientWidth)).toBe(0);
});

test('the owner sorts the open connections by traffic, and ranks the most active sites and users by traffic', async ({
  page: tab,
}) => {
  const orders: (string | null)[] = [];
  await open(tab, page, {
    'GET /statistics': (route) => {
      orders.push(searchOf(route).get('topBy'));
      return route.fulfill({ json: figures });
    },
  });
  const byTraffic = tab.getByRole('columnheader', { name: 'Трафик' });
  await byTraffic.first().getByRole('button').click();
  await expect(byTraffic.first()).toHaveAttribute('aria-sort', 'descending');
  await expect.poll(() => orders.at(-1)).toBe('bytes');
  await tab.getByRole('link', { name: 'Сейчас' }).click();
  const first = tab.getByRole('table', { name: 'Открытые соединения' }).getByRole('rowheader').first();
  await expect(first).toHaveText('Анна Орлова');
  await byTraffic.getByRole('button').click();
  await expect(first).toHaveText(/Глеб/);
});

test('a changed figure appears within three seconds without a reload', async ({ page: tab }) => {
  let now = 1;
  await open(tab, page, {
    'GET /statistics': (route) => route.fulfill({ json: { ...figures, people: { now, before: 1 } } }),
  });
  await expect(figure(tab, 'Активные пользователи').locator('dd').first()).toHaveText('1');
  now = 2;
  await expect(figure(tab, 'Активные пользователи').locator('dd').first()).toHaveText('2', { timeout: 3000 });
});

test('after a failed refresh one notice marks the figures as old, and a past period is not refreshed', async ({
  page: tab,
}) => {
  let asked = 0;
  let fails = false;
  await open(tab, page, {
    'GET /statistics': (route) => {
      // The chart also requests the previous period, once.
      if (new URL(tab.url()).search !== '' && !searchOf(route).get('to')?.startsWith('2026-03-07')) {
        return route.fulfill({ json: figures });
      }
      asked += 1;
      const json = { statusCode: 500, code: 'internal', message: 'Сервер не смог ответить' };
      return route.fulfill(fails ? { status: 500, json } : { json: figures });
    },
  });
  await expect(figure(tab, 'Посещения')).toBeVisible();
  fails = true;
  await expect(tab.getByRole('alert')).toContainText(/Данные на \d\d:\d\d: обновить их не получилось/);
  const failed = asked;
  await expect.poll(() => asked).toBeGreaterThan(failed + 1);
  await expect(tab.getByRole('alert')).toHaveCount(1);
  await expect(figure(tab, 'Посещения')).toBeVisible();
  fails = false;
  await expect(tab.getByRole('alert')).toHaveCount(0);
  await tab.goto(`${STUBBED}${page}?from=2026-03-01&to=2026-03-07`);
  await expect(figure(tab, 'Посещения')).toBeVisible();
  asked = 0;
  await tab.waitForTimeout(3000);
  expect(asked).toBe(0);
});

test('the relative time of an event advances while the page is open', async ({ page: tab }) => {
  await tab.clock.install();
  const at = new Date().toISOString();
  const actor = { id: 2, name: 'Анна Орлова', email: 'anna@romashka.test', roles: [{ value: 'CREATOR' }] };
  const object = { kind: 'site', id: 1, name: 'crm.romashka.test' };
  const row = {
    id: 1,
    at,
    company: null,
    actor,
    address: '203.0.113.5',
    action: 'created',
    object,
    changes: {},
  };
  await open(tab, '/dashboard/creator/audit', { 'GET /audit': { rows: [row], count: 1 } });
  await expect(tab.getByRole('row', { name: /crm/ })).toContainText('сейчас');
  await tab.clock.fastForward(180_000);
  await expect(tab.getByRole('row', { name: /crm/ })).toContainText('3 минуты назад');
});

test('the period stays in the URL, and a refusal opens the access check of the refused user', async ({
  page: tab,
}) => {
  await open(tab, page, {
    'GET /domain-allowed/1/why': (route) =>
      route.fulfill({
        status: 400,
        json: { statusCode: 400, code: 'bad_input', message: searchOf(route).get('user') },
      }),
  });
  await tab.getByRole('combobox', { name: 'Период' }).selectOption('30 дней');
  await expect(tab).toHaveURL(/days=30$/);
  await tab.reload();
  await expect(tab.getByRole('combobox', { name: 'Период' })).toHaveValue('30');
  await tab.getByRole('button', { name: 'Проверить доступ: Анна Орлова, crm.romashka.test' }).click();
  await expect(tab.getByRole('dialog')).toContainText('crm.romashka.test');
  await expect(tab.getByRole('combobox', { name: 'Пользователь' })).toHaveValue('Анна Орлова');
  await expect(tab.getByRole('dialog').getByRole('alert')).toContainText('2');
});

test('an owner adds a refused host as a site from the list of refusals or from the access record', async ({
  page: tab,
}) => {
  const sent: unknown[] = [];
  const refused = [
    ...figures.refused,
    { reason: 'site_unknown', user: { id: 2, name: 'Анна Орлова' }, host: 'shop.test', site: null, count: 3 },
  ];
  await open(tab, page, {
    'GET /statistics': { ...figures, refused },
    'GET /politics': { rows: [], count: 0 },
    'POST /domain-allowed': (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ status: 201, json: { id: 7, address: 'games.test', politics: [], version: 1 } });
    },
  });
  // Each reason appears once in the list of refusals.
  await expect(tab.getByText('Сайта нет в списке', { exact: true })).toHaveCount(1);
  await tab.getByRole('button', { name: 'Добавить сайт games.test' }).click();
  const dialog = tab.getByRole('dialog');
  await expect(dialog.getByRole('textbox', { name: 'Адрес' })).toHaveValue('games.test');
  await dialog.getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialog).toHaveCount(0);
  expect(sent).toEqual([{ address: 'games.test', politics: [] }]);
  await tab.getByRole('link', { name: 'Журнал доступа' }).click();
  await tab
    .getByRole('row', { name: /games\.test/ })
    .getByRole('button')
    .click();
  await dialog.getByRole('button', { name: 'Добавить сайт games.test' }).click();
  await expect(dialog.getByRole('textbox', { name: 'Адрес' })).toHaveValue('games.test');
  await expect(dialog.getByRole('textbox', { name: 'Адрес' })).toBeFocused();
});

test('clearing the dates of a custom period leaves the date fields visible', async ({ page: tab }) => {
  await open(tab, page);
  await tab.getByRole('combobox', { name: 'Период' }).selectOption('Свой период');
  await tab.getByRole('textbox', { name: 'С', exact: true }).fill('');
  await tab.getByRole('textbox', { name: 'По', exact: true }).fill('');
  await expect(tab.getByRole('textbox', { name: 'По', exact: true })).toBeFocused();
  await expect(tab.getByText('Выберите период')).toBeVisible();
  await tab.getByRole('link', { name: 'Журнал доступа' }).click();
  await tab.getByRole('searchbox').fill('203.0.113.24');
  await tab.getByRole('combobox', { name: 'Результат' }).selectOption('Отказы');
  await expect(tab).toHaveURL(/address=/);
  await expect(tab.getByRole('combobox', { name: 'Результат' })).toHaveValue('refused');
});

test('before the first visit the page says that visits appear within seconds', async ({ page: tab }) => {
  const none = { now: 0, before: 0 };
  const empty = { ...figures, people: none, visits: none, bytes: none, refusals: none, chart: [] };
  await open(tab, page, { 'GET /statistics': empty, 'GET /visits': { rows: [], next: null } });
  await expect(tab.getByText('Посещений ещё не было')).toBeVisible();
  await expect(tab.getByText(/появятся через несколько секунд/)).toBeVisible();
});

test('ending one connection or all connections of a user asks for confirmation', async ({ page: tab }) => {
  const sent: unknown[] = [];
  const anna = { ...owner, ...{ id: 2, name: 'Анна', surname: 'Орлова', roles: [{ value: 'USER' }] } };
  await open(tab, `${page}/now`, {
    'GET /users/2': anna,
    'POST /visits/end': (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ status: 204 });
    },
  });
  for (const item of ['Завершить', 'Завершить все соединения пользователя']) {
    await tab
      .getByRole('row', { name: /crm/ })
      .getByRole('button', { name: /^Действия/ })
      .click();
    await tab.getByRole('menuitem', { name: item, exact: true }).click();
    await expect(tab.getByRole('dialog')).toContainText('может сразу подключиться снова');
    await tab.getByRole('dialog').getByRole('button', { name: 'Завершить' }).click();
    await expect(tab.getByRole('dialog')).toHaveCount(0);
  }
  expect(sent).toEqual([{ record: visits.rows[0]?.id }, { user: 2 }]);
  await tab
    .getByRole('row', { name: /crm/ })
    .getByRole('button', { name: /^Действия/ })
    .click();
  await tab.getByRole('menuitem', { name: 'Снять доступ' }).click();
  await expect(tab.getByRole('dialog').getByRole('textbox', { name: 'Фамилия' })).toHaveValue('Орлова');
  await tab.keyboard.press('Escape');
  await expect(tab.getByRole('dialog')).toHaveCount(0);
  await expect(tab).toHaveURL(/creator\/users$/);
});

test('the access log keeps its filters in the URL, and appends the next page on a click', async ({
  page: tab,
}) => {
  const asked: URLSearchParams[] = [];
  await open(tab, `${page}/log`, {
    'GET /visits': (route) => {
      const search = searchOf(route);
      asked.push(search);
      const rest = { rows: [{ ...visits.rows[2], id: 'f5a0c1de-0000-4000-8000-000000000009' }], next: null };
      return route.fulfill({ json: search.has('before') ? rest : { ...visits, next: '1-next' } });
    },
  });
  await tab.getByRole('combobox', { name: 'Результат' }).selectOption('Отказы');
  await expect(tab).toHaveURL(/result=refused.*from=.*to=/);
  await tab.reload();
  await expect(tab.getByRole('combobox', { name: 'Результат' })).toHaveValue('refused');
  const { from, to } = Object.fromEntries(asked.at(-1) ?? []);
  expect((Date.parse(to ?? '') - Date.parse(from ?? '')) / 86_400_000).toBe(31);
  const rows = tab.locator('tbody tr');
  await expect(rows).toHaveCount(visits.rows.length);
  await tab.getByRole('button', { name: 'Показать ещё' }).click();
  await expect(rows).toHaveCount(visits.rows.length + 1);
  expect(asked.at(-1)?.get('before')).toBe('1-next');
  await rows.first().getByRole('button').click();
  await expect(tab.getByRole('dialog')).toContainText(visits.rows[0]?.id ?? '-');
  await expect(tab.getByRole('dialog')).toContainText('chromium-extension-0.2.0');
});

/**
 * Answers an export with the records as JSON lines, or with a fixed CSV for `Accept: text/csv`.
 * @param part shortens the JSON lines to the part that the browser receives
 */
const exporting = (records: object[], part = (text: string) => text) => ({
  'GET /visits/export': (route: Route) => {
    const isCsv = route.request().headers().accept === 'text/csv';
    const name = encodeURIComponent(`Журнал доступа Ромашка.${isCsv ? 'csv' : 'jsonl'}`);
    return route.fulfill({
      headers: {
        'content-type': isCsv ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
      },
      body: isCsv
        ? '\uFEFF"Начало"\r\n"15.03.2026"\r\n'
        : part(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
    });
  },
});
const evil = { ...visits.rows[0], host: '=cmd|calc', user: { id: 2, name: '@"Анна"\r\n' } };

test('an export as CSV or JSONL sends the filter, and saves the response under the file name that the server gives', async ({
  page: tab,
}) => {
  const asked: URLSearchParams[] = [];
  const answer = exporting([evil, ...visits.rows])['GET /visits/export'];
  await open(tab, `${page}/log?result=refused`, {
    'GET /visits/export': (route) => {
      asked.push(searchOf(route));
      return answer(route);
    },
  });
  const download = async (name: string) => {
    const saved = tab.waitForEvent('download');
    await tab.getByRole('button', { name }).click();
    const file = await saved;
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  };
  const csv = await download('Скачать CSV');
  expect(csv.name).toBe('Журнал доступа Ромашка.csv');
  expect(csv.text).toBe('\uFEFF"Начало"\r\n"15.03.2026"\r\n');
  const jsonl = await download('Скачать JSONL');
  expect(jsonl.name).toBe('Журнал доступа Ромашка.jsonl');
  const records = jsonl.text.trim().split('\n');
  expect(records.map((line) => JSON.parse(line))).toEqual([evil, ...visits.rows]);
  expect(asked.map((search) => search.get('result'))).toEqual(['refused', 'refused']);
});

test('a truncated or refused export saves no file and offers a retry', async ({ page: tab }) => {
  const saved: string[] = [];
  tab.on('download', (file) => saved.push(file.suggestedFilename()));
  const more: Replies = exporting(visits.rows, (text) => text.slice(0, -9));
  const all = await open(tab, `${page}/log`, more);
  await tab.getByRole('button', { name: 'Скачать JSONL' }).click();
  await expect(tab.getByRole('alert')).toContainText('Нет связи с сервером');
  const busy = { statusCode: 503, code: 'busy', message: 'Занято' };
  all['GET /visits/export'] = (route: Route) => route.fulfill({ status: 503, json: busy });
  await tab.getByRole('button', { name: 'Повторить' }).click();
  await expect(tab.getByRole('alert')).toHaveText('Занято');
  expect(saved).toEqual([]);
  Object.assign(all, exporting(visits.rows));
  const download = tab.waitForEvent('download');
  await tab.getByRole('button', { name: 'Повторить' }).click();
  expect((await download).suggestedFilename()).toBe('Журнал доступа Ромашка.jsonl');
  await expect(tab.getByRole('alert')).toHaveCount(0);
});

test('a canceled export ends its request and saves no file', async ({ page: tab }) => {
  const saved: string[] = [];
  tab.on('download', (file) => saved.push(file.suggestedFilename()));
  // The reply never comes.
  await open(tab, `${page}/log`, { 'GET /visits/export': () => {} });
  const failed = tab.waitForEvent('requestfailed');
  await tab.getByRole('button', { name: 'Скачать CSV' }).click();
  await expect(tab.getByText('Получено строк: 0')).toBeVisible();
  await tab.getByRole('button', { name: 'Отменить' }).click();
  expect((await failed).url()).toContain('/visits/export');
  await expect(tab.getByRole('button', { name: 'Скачать CSV' })).toBeVisible();
  await expect(tab.getByRole('alert')).toHaveCount(0);
  expect(saved).toEqual([]);
});

test('the storage page explains each setting, and sends a change with the version of the settings', async ({
  page: tab,
}) => {
  const sent: unknown[] = [];
  await open(tab, `${page}/storage`, {
    'PUT /company/records': (route) => {
      sent.push([route.request().postDataJSON(), route.request().headers()['if-match']]);
      const stale = { statusCode: 412, code: 'changed_meanwhile', message: 'Запись изменили' };
      return sent.length === 1
        ? route.fulfill({ status: 412, json: stale })
        : route.fulfill({ json: { ...storage, addresses: 'network', version: 4 } });
    },
  });
  const card = tab.getByRole('region', { name: 'Хранение' });
  await expect(card).toContainText('виден точный адрес');
  await expect(card).toContainText('90 дней');
  await card.getByRole('button', { name: 'Изменить хранение' }).click();
  const dialog = tab.getByRole('dialog');
  await expect(dialog).toContainText('в прежних адреса останутся');
  await dialog.getByRole('combobox', { name: 'Адреса пользователей' }).click();
  await tab.getByRole('option', { name: 'Только сеть' }).click();
  const days = dialog.getByRole('textbox', { name: 'Срок хранения, дней' });
  await days.fill('');
  await expect(days).toHaveValue('');
  await days.fill('30');
  await dialog.getByRole('checkbox', { name: /Оставлять имена/ }).uncheck();
  const zone = dialog.getByRole('combobox', { name: 'Часовой пояс' });
  await expect(zone).toHaveValue('Москва (UTC+3)');
  await zone.click();
  await expect(tab.getByRole('option').first()).toHaveText('Калининград (UTC+2)');
  await zone.fill('toky');
  // Enter takes the first match and does not save the form.
  await expect(tab.getByRole('option')).toHaveText(['Asia/Tokyo (UTC+9)']);
  await zone.press('Enter');
  await expect(zone).toHaveValue('Asia/Tokyo (UTC+9)');
  await expect(dialog).toContainText('вступит в силу через 72 часа');
  await dialog.getByLabel(/^Ваш текущий пароль/).fill('correct horse');
  await dialog.getByLabel(/^Код из приложения/).fill('123456');
  await dialog.getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Запись изменили');
  await dialog.getByRole('button', { name: /Загрузить/ }).click();
  await dialog.getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialog).toHaveCount(0);
  const body = {
    addresses: 'network',
    retentionDays: 30,
    keepNames: false,
    timeZone: 'Asia/Tokyo',
    currentPassword: 'correct horse',
    code: '123456',
  };
  expect(sent).toEqual([
    [body, '"3"'],
    [body, '"3"'],
  ]);
});

test('a pending change that shortens retention is shown with its author, and a button cancels the change', async ({
  page: tab,
}) => {
  const pending = {
    retentionDays: 7,
    keepNames: false,
    inForceAt: '2026-03-17T09:00:00.000Z',
    by: 'anna@romashka.test',
  };
  const sent: unknown[] = [];
  await open(tab, `${page}/storage`, {
    'GET /company/records': { ...storage, pending },
    'PUT /company/records': (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ json: { ...storage, version: 4 } });
    },
  });
  const band = tab.getByRole('alert');
  await expect(band).toContainText('журнал станет хранить меньше: 7 дней, без имён удалённых пользователей');
  await expect(band).toContainText('Изменил anna@romashka.test');
  await band.getByRole('button', { name: 'Отменить изменение' }).click();
  await expect(tab.getByText('Изменение отменено')).toBeVisible();
  expect(sent).toEqual([{ addresses: 'full', keepNames: true, timeZone: 'Europe/Moscow' }]);
});

test('the access log and the statistics periods use the company’s time zone', async ({ page: tab }) => {
  const hidden = {
    ...visits.rows[0],
    startedAt: '2026-03-14T22:30:00.000Z',
    address: '',
    user: { id: 2, name: '' },
  };
  const asked: URLSearchParams[] = [];
  await open(tab, `${page}/log`, {
    'GET /company/records': { ...storage, timeZone: 'Pacific/Kiritimati' },
    'GET /visits': { rows: [hidden], next: null },
    'GET /statistics': (route) => {
      asked.push(searchOf(route));
      return route.fulfill({ json: figures });
    },
  });
  const row = tab.locator('tbody tr').first();
  await expect(row).toContainText(/15\.03\.2026, 12:30/);
  await expect(row).toContainText('Удалённый пользователь');
  await expect(row).toContainText('Не сохранён');
  await tab.getByRole('link', { name: 'Обзор' }).click();
  await expect(tab.getByText('Часовой пояс: Pacific/Kiritimati (UTC+14)')).toBeVisible();
  await expect.poll(() => asked.at(0)?.get('from')).toMatch(/T10:00:00.000Z$/);
  expect(asked.at(0)?.get('to')).toMatch(/T10:00:00.000Z$/);
});

test('when the storage settings fail to load, the statistics page shows an error', async ({ page: tab }) => {
  await open(tab, page, { 'GET /company/records': (route) => route.fulfill({ status: 500, json: {} }) });
  await expect(tab.getByText('Статистика не загрузилась')).toBeVisible();
});

test('each part of the statistics page that fails to load shows an error and offers a retry', async ({
  page: tab,
}) => {
  const all = await open(tab, page);
  const code = `**/${await chunkOf('src/features/statistics/log.tsx')}`;
  await tab.route(code, (route) => route.abort());
  await tab.getByRole('link', { name: 'Журнал доступа' }).click();
  const retry = tab.getByRole('main').getByRole('button', { name: 'Повторить' });
  await expect(tab.getByRole('alert')).toContainText('Эта часть страницы не загрузилась');
  await retry.click();
  await expect(tab.getByRole('alert')).toContainText('Эта часть страницы не загрузилась');
  await tab.unroute(code);
  await retry.click();
  await expect(tab.getByRole('row', { name: /games\.test/ })).toBeVisible();
  // A malformed reply, which the page cannot render.
  all['GET /visits/live'] = { rows: [{}], next: null };
  await tab.getByRole('link', { name: 'Сейчас' }).click();
  await expect(tab.getByRole('alert')).toBeVisible();
  all['GET /visits/live'] = { rows: visits.rows.slice(0, 2), next: null };
  await retry.click();
  await expect(tab.getByRole('row', { name: /crm/ })).toBeVisible();
  delete all['GET /visits/support'];
  await tab.reload();
  await expect(tab.getByText('Доступ поддержки не загрузился')).toBeVisible();
  all['GET /visits/support'] = { until: null };
  await retry.click();
  await expect(tab.getByRole('button', { name: 'Показать поддержке' })).toBeVisible();
});

test('an agent sees their own visits on the personal page', async ({ page: tab }) => {
  await open(tab, '/dashboard/personal-data', { 'GET /me/visits': visits });
  const card = tab.getByRole('region', { name: 'Мои посещения' });
  await expect(card.getByRole('row', { name: /crm/ })).toBeVisible();
});

const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

test('an owner shows the visits to the support for 24 hours, and ends this access', async ({ page: tab }) => {
  let until: string | null = null;
  let refuse = false;
  const sent: unknown[] = [];
  await open(tab, page, {
    'GET /visits/support': (route) => route.fulfill({ json: { until } }),
    'PUT /visits/support': (route) => {
      if (refuse) {
        const json = { statusCode: 500, code: 'internal', message: 'Сервер не смог ответить' };
        return route.fulfill({ status: 500, json });
      }
      const body = route.request().postDataJSON();
      sent.push(body);
      until = body.allowed ? tomorrow : null;
      return route.fulfill({ json: { until } });
    },
  });
  await tab.getByRole('button', { name: 'Показать поддержке' }).click();
  await expect(tab.getByRole('dialog')).toContainText('24 часа');
  await tab.getByRole('dialog').getByRole('button', { name: 'Показать на 24 часа' }).click();
  await expect(tab.getByText(/^Поддержка видит посещения до/)).toBeVisible();
  refuse = true;
  await tab.getByRole('button', { name: 'Закрыть доступ' }).click();
  await expect(tab.getByText('Сервер не смог ответить')).toBeVisible();
  refuse = false;
  await tab.getByRole('button', { name: 'Закрыть доступ' }).click();
  await expect(tab.getByRole('button', { name: 'Показать поддержке' })).toBeVisible();
  expect(sent).toEqual([{ allowed: true }, { allowed: false }]);
});

const ofAdmin: Replies = {
  'GET /me': admin,
  'GET /company/1': company,
  'GET /company/1/tariff': tariff,
  'GET /company/1/visits': visits,
};

test("an ADMIN sees a company's figures, and a hint to ask the owner for access to the visits", async ({
  page: tab,
}) => {
  const closed = { ...figures, supportUntil: null };
  await open(tab, '/dashboard/admin/companies/1', { ...ofAdmin, 'GET /company/1/statistics': closed });
  const section = tab.getByRole('region', { name: 'Посещения за 30 дней' });
  await expect(section).toContainText(/на 24 % больше: было 1.000/);
  await expect(section).toContainText('попросите его нажать «Показать поддержке»');
  await expect(section.getByRole('table')).toHaveCount(0);
});

test('an ADMIN reads the visits of a company while its owner allows it', async ({ page: tab }) => {
  const shown = { ...figures, supportUntil: tomorrow };
  await open(tab, '/dashboard/admin/companies/1', { ...ofAdmin, 'GET /company/1/statistics': shown });
  const section = tab.getByRole('region', { name: 'Посещения за 30 дней' });
  await expect(section).toContainText('Владелец открыл посещения до');
  await expect(section.getByRole('row', { name: /crm/ })).toBeVisible();
});

test('the printed statistics page has every row of a list and every refusal', async ({ page: tab }) => {
  const refused = Array.from({ length: 14 }, (_, n) => ({
    ...figures.refused[0],
    host: `r${n}.romashka.ru`,
  }));
  const unused = Array.from({ length: 14 }, (_, n) => ({
    user: { id: n, name: `Пользователь ${n}` },
    site: { id: 1, name: 'crm.romashka.ru' },
  }));
  await open(tab, page, { 'GET /statistics': { ...figures, refused, unused } });
  await expect(figure(tab, 'Посещения')).toBeVisible();
  await tab.emulateMedia({ media: 'print' });
  for (const text of [/r\d+\.romashka\.ru/, /Пользователь \d+/]) {
    await expect(tab.getByRole('rowheader').filter({ hasText: text, visible: true })).toHaveCount(14);
  }
});
