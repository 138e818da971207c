import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { createPolicy } from '@propusk/contract/policies';
import { createSite, listSites } from '@propusk/contract/sites';
import { companyUsers, createUser } from '@propusk/contract/users';
import { strToU8, zipSync } from 'fflate';
import { dialogOf, enter, field, row, startConsole, test } from '../support/console.ts';

/** An owner imports users and sites from files and from a pasted table. */
const users = '/dashboard/creator/users';
const sites = '/dashboard/creator/domains';

let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  await console.agent(await console.owner('other@vasilek.test'), 'taken@vasilek.test');
  await console.call(owner, createPolicy, { body: { name: 'Продажи', proxyId: 1 } });
  await console.call(owner, createPolicy, { body: { name: 'Склад, ночь', proxyId: 1 } });
  await console.call(owner, createSite, { body: { address: 'there.romashka.test' } });
});

const button = (page: Page, name: string | RegExp) => dialogOf(page).getByRole('button', { name });
const emails = async () => (await product.call(owner, companyUsers, {})).rows.map(({ email }) => email);

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Выбрать файл').click();
  await (await chooser).setFiles({ name, mimeType: '', buffer });
}

/** Encodes Cyrillic letters and ASCII as windows-1251. */
const windows1251 = (text: string) =>
  Buffer.from(text.split('').map((sign) => (sign < '\x80' ? sign.charCodeAt(0) : sign.charCodeAt(0) - 848)));

/** Makes an .xlsx file as spreadsheets do. */
function xlsx(rows: string[][]): Buffer {
  const strings = [...new Set(rows.flat())];
  const cell = (text: string) => `<c t="s"><v>${strings.indexOf(text)}</v></c>`;
  const escape = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const files = {
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si><t>${escape(text)}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows
      .map((cells) => `<row>${cells.map(cell).join('')}</row>`)
      .join('')}</sheetData></worksheet>`,
  };
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}

test('an owner imports the valid rows of a CSV file from Excel and downloads the others with their faults', async ({
  page,
}) => {
  await enter(page, product.url + users, owner);
  await page.getByRole('main').getByRole('button', { name: 'Импорт' }).click();
  const lines = [
    'E-mail;Фамилия;Имя;Политики доступа;Отдел',
    'anna@romashka.test;Петрова;Анна;"продажи; Склад, ночь";Север',
    'boris@;Орлов;Борис;;',
    'taken@vasilek.test;Иванов;Иван;;',
    'vera@romashka.test;Орлова;Вера;Закупки;',
    'ANNA@romashka.test;;;;',
    'owner@romashka.test;;;;',
    'gleb@romashka.test;=1+1;Глеб;;',
  ];
  await choose(page, 'люди.csv', windows1251(lines.join('\r\n')));
  await expect(dialogOf(page).getByText('люди.csv: 7 строк')).toBeVisible();
  const column = (name: string) => dialogOf(page).getByRole('combobox', { name });
  await expect(column('E-mail')).toHaveValue('email');
  await expect(column('Фамилия')).toHaveValue('surname');
  await expect(column('Политики доступа')).toHaveValue('politics');
  await expect(column('Отдел')).toHaveValue('');
  await button(page, 'Проверить').click();
  await expect(dialogOf(page).getByText('Можно добавить: 2 пользователя')).toBeVisible();
  await expect(dialogOf(page).getByText('Не подходит: 5 строк')).toBeVisible();
  const fault = (line: number) =>
    dialogOf(page)
      .getByRole('listitem')
      .filter({ hasText: `Строка ${line}.` });
  await expect(fault(3)).toContainText('После @ нет имени сервера');
  await expect(fault(4)).toContainText('Эта почта уже занята');
  await expect(fault(5)).toContainText('Политики «Закупки» нет');
  await expect(fault(6)).toContainText('Повтор: это уже есть в строке 2');
  await expect(fault(7)).toContainText('Этот пользователь уже есть в вашей компании');

  const download = page.waitForEvent('download');
  await button(page, 'Скачать строки с ошибками').click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toContain('"boris@";"Орлов";"Борис"');
  expect(csv).toContain('После @ нет имени сервера');
  expect(await emails()).toEqual(['owner@romashka.test']);
  await button(page, 'Импортировать 2').click();
  await expect(dialogOf(page).getByText('Добавлено: 2 пользователя')).toBeVisible();
  // The server of this test sends no mail.
  const links = page.waitForEvent('download');
  await button(page, 'Скачать ссылки').click();
  const made = await readFile(await (await links).path(), 'utf8');
  expect(made).toMatch(/"anna@romashka\.test";"http\S+#token=\S+"\r\n"gleb@romashka\.test";/);
  await button(page, 'Закрыть').last().click();
  await expect(page).toHaveURL(product.url + users);
  await expect(row(page, /anna@romashka\.test/)).toContainText('Склад, ночь');
  await expect(row(page, /gleb@romashka\.test/)).toContainText('Глеб =1+1');
});

test('an import adds all rows of an .xlsx file or none, and a failure keeps the file and the columns', async ({
  page,
}) => {
  await enter(page, `${product.url}${users}/import`, owner);
  const people = [
    ['Имя', 'Почта'],
    ['Дарья <b>', 'darya@romashka.test'],
    ['Егор & Ко', 'egor@romashka.test'],
  ];
  await choose(page, 'staff.xlsx', xlsx(people));
  await button(page, 'Проверить').click();
  await expect(button(page, 'Импортировать 2')).toBeEnabled();
  await page.route('**/api/users/import', (route) => route.abort());
  await button(page, 'Импортировать 2').click();
  await expect(dialogOf(page).getByRole('alert')).toBeVisible();
  await page.unroute('**/api/users/import');

  // Another owner adds one of the users between the check and the import.
  await product.call(owner, createUser, {
    body: { email: 'egor@romashka.test', password: 'correct horse', name: '', surname: '', politics: [] },
  });
  const before = await emails();
  await button(page, 'Импортировать 2').click();
  await expect(dialogOf(page).getByText('Этот пользователь уже есть в вашей компании')).toBeVisible();
  expect(await emails()).toEqual(before);
  await button(page, 'Импортировать 1').click();
  await expect(dialogOf(page).getByText('Добавлено: 1 пользователь')).toBeVisible();
  expect(await emails()).toEqual([...before, 'darya@romashka.test']);
});

test('an owner imports sites with policies from a pasted table', async ({ page }) => {
  await enter(page, product.url + sites, owner);
  await page.getByRole('main').getByRole('button', { name: 'Импорт' }).click();
  const lines = [
    'https://crm.romashka.test/login\tПродажи',
    'почта.рф\t',
    '10.0.0.1\t',
    'there.romashka.test\t',
    'CRM.romashka.test\t',
  ];
  await field(dialogOf(page), 'Таблица').fill(lines.join('\n'));
  await button(page, 'Дальше').click();
  const column = (n: number) => dialogOf(page).getByRole('combobox', { name: `Столбец ${n}` });
  await expect(column(1)).toHaveValue('address');
  await column(2).selectOption('Политики доступа');
  await button(page, 'Проверить').click();
  await expect(dialogOf(page).getByText('Можно добавить: 2 сайта')).toBeVisible();
  const fault = (line: number) =>
    dialogOf(page)
      .getByRole('listitem')
      .filter({ hasText: `Строка ${line}.` });
  await expect(fault(3)).toContainText('IP-адрес не подходит');
  await expect(fault(4)).toContainText('there.romashka.test уже в списке');
  await expect(fault(5)).toContainText('Повтор: это уже есть в строке 1');
  await button(page, 'Импортировать 2').click();
  await expect(dialogOf(page).getByText('Добавлено: 2 сайта')).toBeVisible();
  const { rows } = await product.call(owner, listSites, {});
  expect(rows.map(({ address, politics }) => [address, politics.map(({ name }) => name)])).toEqual([
    ['there.romashka.test', []],
    ['crm.romashka.test', ['Продажи']],
    ['xn--80a1acny.xn--p1ai', []],
  ]);
});

test('a file that is no table is refused with a reason, and a loaded table is not lost without a question', async ({
  page,
}) => {
  await enter(page, `${product.url}${users}/import`, owner);
  await choose(page, 'old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 0]));
  await expect(dialogOf(page).getByRole('alert')).toContainText('Это старый .xls или файл с паролем');
  await choose(page, 'bomb.xlsx', xlsx(Array.from({ length: 1_100 }, (_, n) => [`p${n}@romashka.test`])));
  await expect(dialogOf(page).getByRole('alert')).toContainText('В файле больше 1000 строк');
  await choose(page, 'names.csv', Buffer.from('Имя;Фамилия\nАнна;Петрова'));
  await expect(dialogOf(page).getByText('Выберите столбец «Почта»')).toBeVisible();
  await expect(button(page, 'Проверить')).toBeDisabled();
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Закрыть и потерять введённое?' });
  await question.getByRole('button', { name: 'Остаться' }).click();
  await expect(dialogOf(page).getByText('names.csv: 1 строка')).toBeVisible();
});
