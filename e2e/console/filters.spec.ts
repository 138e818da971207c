import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { myAccess } from '@propusk/contract/access';
import { login } from '@propusk/contract/auth';
import { me } from '@propusk/contract/me';
import { createPolicy } from '@propusk/contract/policies';
import { createSites } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import { enter, row, screensOf, startConsole, test } from '../support/console.ts';
import { evidence } from '../support/stubbed-replies.ts';

/** The filters of lists, the last visit, the export of a list, and links from the statistics to the access log. */
const sites = '/dashboard/creator/domains';
const people = '/dashboard/creator/users';
const address = (n: number) => `s${String(n).padStart(2, '0')}.romashka.test`;
let owner: string;

const product = startConsole(async (console) => {
  owner = await console.owner('irina@romashka.test');
  const company = (await console.call(owner, me, {})).company?.id ?? 0;
  const addresses = Array.from({ length: 14 }, (_, n) => ({ address: address(n + 1) }));
  const { rows } = await console.call(owner, createSites, { body: addresses });
  const [first = 0, second = 0] = rows.map(({ id }) => id);
  const person = (email: string, name: string) =>
    console.call(owner, createUser, { body: { email, name, surname: '=1+1', password: 'correct horse' } });
  const agent = (await person('anna@romashka.test', 'Анна')).id;
  await person('petr@romashka.test', 'Пётр');
  const policy = { name: 'Бухгалтерия', proxyId: 1, users: [agent], sites: [first] };
  await console.call(owner, createPolicy, { body: policy });
  // Probes need a network, and records need a gateway, so both are written into the database.
  await console.sql(`insert into site_checks (company_id, site_id, state, shown_verdict, shown_at)
    select company_id, id, 'done', case id when ${first} then 'open' else 'protected' end, now() from sites
      where id in (${first}, ${second})
    on conflict (company_id, site_id) do update set state = 'done', run = null, shown_verdict = excluded.shown_verdict,
      shown_at = excluded.shown_at, next_at = now() + interval '1 day'`);
  await console.sql(
    `insert into last_visits values (${company}, ${agent}, 0, now()), (${company}, 0, ${first}, now())`,
  );
  await console.sql(`insert into records (id, started_at, company_id, user_id, site_id, up, down, ms, run, count, visits, port, kind, state,
      reason, address, host)
    select gen_random_uuid(), now() - interval '1 minute', ${company}, ${agent}, site, 1, 1, 1, 1, 1, 1, 443, kind, 'closed', reason, '', host
    from (values (${first}, 'tunnel', '', '${address(1)}'), (${second}, 'refusal', 'no_policy', '${address(2)}'))
      as v (site, kind, reason, host)`);
  await console.sql(`insert into record_hours select company_id, date_trunc('hour', started_at), user_id, site_id, reason,
    case when reason = '' then '' else host end, case when reason = '' then 1 else 0 end, 1, 1, 1 from records where company_id = ${company}`);
});

const chip = (page: Page, label: string) => page.getByRole('button', { name: `Убрать фильтр: ${label}` });
const names = (page: Page) => page.getByRole('rowheader');

async function choose(page: Page, label: string) {
  await page.getByRole('button', { name: 'Фильтр', exact: true }).click();
  await page.getByRole('menuitemradio', { name: label, exact: true }).click();
  await expect(chip(page, label)).toBeVisible();
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('filters of the sites compose, stay in the URL and are removed one by one, also by Back', async ({
      page,
    }) => {
      await enter(page, `${product.url}${sites}?page=2`, owner);
      await expect(page.getByText('11–14 из 14')).toBeVisible();
      await choose(page, 'Не проверен');
      await expect(page).toHaveURL(/\?protection=unchecked$/);
      await expect(page.getByText('1–10 из 12')).toBeVisible();
      await choose(page, 'Без политики');
      await page.getByRole('searchbox').fill('s05');
      await expect(names(page)).toHaveText([address(5)]);
      await page.reload();
      await expect(names(page)).toHaveText([address(5)]);
      await chip(page, 'Без политики').click();
      await expect(chip(page, 'Без политики')).toHaveCount(0);
      await expect(page).not.toHaveURL(/access=/);
      await page.goBack();
      await expect(chip(page, 'Без политики')).toBeVisible();
      await choose(page, 'Защищён');
      await expect(page.getByText('Таких записей нет')).toBeVisible();
      await page.getByRole('main').getByRole('button', { name: 'Сбросить фильтры' }).click();
      await expect(page.getByText('1–10 из 14')).toBeVisible();
      await expect(page).toHaveURL(new RegExp(`${sites}$`));
    });

    test('the filters of the list of users find users without access, and users who have never visited a site', async ({
      page,
    }) => {
      await enter(page, `${product.url}${people}?access=none&role=USER`, owner);
      await expect(names(page)).toHaveText([/Пётр/]);
      await chip(page, 'Агент').click();
      await expect(names(page)).toHaveCount(2);
      await enter(page, `${product.url}${people}?visited=never`, owner);
      await expect(chip(page, 'Ни разу не заходили')).toBeVisible();
      await expect(row(page, /Анна/)).toHaveCount(0);
      await expect(row(page, /Пётр/)).toContainText('никогда');
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Убрать/ })
        .click();
      const today = new Intl.DateTimeFormat('ru').format(new Date());
      await expect(row(page, /Анна/).locator('[data-label="Посещение"]')).toHaveText(today);
    });
  });
}

test('the filter by policy offers the policies of the company, and a reload keeps it', async ({ page }) => {
  const label = 'Политика «Бухгалтерия»';
  await enter(page, product.url + sites, owner);
  await choose(page, label);
  await expect(page).toHaveURL(/\?policy=\d+$/);
  await expect(names(page)).toHaveText([address(1)]);
  await page.reload();
  await expect(chip(page, label)).toBeVisible();
  await expect(names(page)).toHaveText([address(1)]);
  await enter(page, product.url + people, owner);
  await choose(page, label);
  await expect(names(page)).toHaveText([/Анна/]);
});

test('the filter by the extension finds the users without it, and a reminder is mailed to them', async ({
  page,
}) => {
  const body = { email: 'petr@romashka.test', password: 'correct horse', client: 'extension' as const };
  const { token } = await product.call(null, login, { body });
  await product.call(token, myAccess, {});
  await enter(page, product.url + people, owner);
  await choose(page, 'Подключено');
  await expect(names(page)).toHaveText([/Пётр.*Расширение: node/]);
  await enter(page, `${product.url}${people}?extension=none&role=USER`, owner);
  await expect(names(page)).toHaveText([/Анна/]);
  await page.locator('thead').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Напомнить о расширении' }).click();
  await expect(page.getByText('Напоминание отправлено: 1')).toBeVisible();
});

test('the count of open sites in the header sets the filter', async ({ page }) => {
  // The api also probes sites by itself, which may replace the stored verdict.
  await page.route('**/api/company/evidence', (route) => route.fulfill({ json: { ...evidence, open: 1 } }));
  await enter(page, product.url + sites, owner);
  await page.getByRole('link', { name: 'Открыты всем: 1' }).click();
  await expect(chip(page, 'Открыт всем')).toBeVisible();
});

test('the go-to box opens a filtered list', async ({ page }) => {
  await enter(page, product.url + sites, owner);
  await expect(names(page).first()).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Страница/ }).fill('без доступа');
  await expect(page.getByRole('option', { name: 'Пользователи: Без доступа' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`${people}\\?access=none$`));
  await expect(names(page).filter({ hasText: 'Анна' })).toHaveCount(0);
  await expect(names(page).filter({ hasText: 'Пётр' })).toHaveCount(1);
});

test('an unknown filter in the URL is ignored, and the list shows all rows', async ({ page }) => {
  await enter(page, `${product.url}${sites}?protection=safe&invited=true&role=ADMIN`, owner);
  await expect(page.getByText('1–10 из 14')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Убрать фильтр/ })).toHaveCount(0);
});

test('the exported file has every row of the filter, and no formula', async ({ page }) => {
  await enter(page, `${product.url}${people}?role=USER`, owner);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Скачать CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('Пользователи ООО «Ромашка».csv');
  const [titles, ...lines] = (await readFile(await file.path(), 'utf8')).split('\r\n');
  expect(titles).toBe(
    '\uFEFF"Имя";"Фамилия";"Почта";"Роли";"Политики доступа";"Посещение";"Создано";"Изменено"',
  );
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^"Анна";"'=1\+1";"anna@romashka.test";"Агент";"Бухгалтерия";"\d\d\.\d\d\.\d{4} /);
  expect(lines[1]).toContain('"Пётр";"\'=1+1";"petr@romashka.test";"Агент";"";"никогда"');

  await page.route('**/api/users/company?*', (route) =>
    route.request().headers().accept === 'text/csv'
      ? route.fulfill({ status: 503, json: { code: 'busy', message: 'Слишком много запросов' } })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Скачать CSV' }).click();
  await expect(page.getByRole('alert')).toContainText('Слишком много запросов');
});

test('a site, a user, a refusal and a day of the statistics open the access log with their filters', async ({
  page,
}) => {
  const overview = `${product.url}/dashboard/creator/statistics`;
  const log = page.getByRole('table', { name: 'Записи о доступе' });
  await enter(page, overview, owner);
  await page.getByRole('link', { name: address(1) }).click();
  await expect(page).toHaveURL(/statistics\/log\?from=[\d-]+&to=[\d-]+&site=\d+$/);
  await expect(log.getByRole('rowheader')).toHaveText([address(1)]);
  await page.goBack();
  // The keyboard reaches the link of a refusal.
  const refusal = page.getByRole('link', { name: new RegExp(address(2)) });
  await refusal.focus();
  await refusal.press('Enter');
  await expect(page).toHaveURL(/result=refused&reason=no_policy&user=\d+&site=\d+/);
  await expect(log.getByRole('rowheader')).toHaveText([address(2)]);
  await page.goBack();
  await page.getByRole('table').getByRole('link', { name: /^Анна/ }).first().click();
  await expect(page).toHaveURL(/user=\d+$/);
  await expect(log.getByRole('rowheader')).toHaveCount(2);
  await page.goBack();
  await page
    .getByRole('figure')
    .locator('.u-over')
    .click({ position: { x: 0, y: 20 } });
  await expect(page).toHaveURL(/log\?from=([\d-]+)&to=\1$/);
  await page.goBack();
  await page.getByText('Таблица', { exact: true }).click();
  await page.getByRole('rowheader').getByRole('link').first().click();
  await expect(page).toHaveURL(/from=([\d-]+)&to=\1$/);
  await expect(log.getByRole('rowheader')).toHaveCount(2);
});
