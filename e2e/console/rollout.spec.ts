import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { enter, heading, startConsole, test } from '../support/console.ts';
import { builds } from '../support/rollout-scenarios.ts';

/** The page that gives the policy by which a company installs the extension on all machines. */
const path = '/dashboard/creator/rollout';
let owner: string;
const product = startConsole(async (console) => {
  owner = await console.owner('irina@romashka.test');
});

const browser = (page: Page) => page.getByRole('combobox', { name: 'Браузер' });
const system = (page: Page) => page.getByRole('combobox', { name: 'Система' });
const policy = (page: Page) => page.getByRole('region', { name: 'Файл политики' });

async function download(page: Page): Promise<{ name: string; text: string }> {
  const begun = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Скачать' }).click();
  const file = await begun;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
}

test('an owner downloads the policy for Edge on Windows with the id of the signed build', async ({
  page,
}) => {
  await enter(page, product.url + path, owner);
  await expect(heading(page, 'Установка расширения')).toBeVisible();
  await expect(page.getByText('Для этого браузера нет опубликованной сборки')).toBeVisible();
  await expect(policy(page)).toHaveCount(0);

  const folder = join(product.dataDir, 'extension');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'builds.json'), JSON.stringify(builds.signed));
  await page.reload();
  await browser(page).selectOption('Edge');
  await system(page).selectOption('Windows');
  const { name, text } = await download(page);
  expect(name).toBe('propusk-edge.reg');
  const root = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Microsoft\\Edge';
  expect(text.split('\r\n')).toEqual([
    'Windows Registry Editor Version 5.00',
    '',
    `[${root}\\ExtensionSettings\\${builds.signed.chromiumId}]`,
    '"installation_mode"="force_installed"',
    `"update_url"="${product.url}/downloads/updates.xml"`,
    '"toolbar_state"="force_shown"',
    '',
    `[${root}\\3rdparty\\extensions\\${builds.signed.chromiumId}\\policy]`,
    `"consoleUrl"="${product.url}"`,
    '',
  ]);
});

test('the policy installs from the store unless the owner chooses the signed build, and Chromium is offered on Linux only', async ({
  page,
}) => {
  await page.route('**/api/extension', (route) => route.fulfill({ json: builds }));
  await enter(page, product.url + path, owner);
  await system(page).selectOption('Linux');
  await browser(page).selectOption('Chromium');
  const storeId = 'ponmlkjihgfedcbaponmlkjihgfedcba';
  await expect(policy(page)).toContainText(storeId);
  await expect(page.getByText('Не проверено нами')).toBeVisible();

  await page.getByRole('combobox', { name: 'Откуда ставить' }).selectOption('С сервера «Пропуска»');
  await expect(policy(page)).toContainText(builds.signed.chromiumId);
  await expect(policy(page)).not.toContainText(storeId);
  await expect(page.getByText('Не проверено нами')).toHaveCount(0);
  const { name, text } = await download(page);
  expect(name).toBe('propusk.json');
  expect(Object.keys(JSON.parse(text).ExtensionSettings)).toEqual([builds.signed.chromiumId]);

  await system(page).selectOption('macOS');
  await expect(browser(page).getByRole('option', { name: 'Chromium' })).toHaveCount(0);
  await expect(browser(page)).toHaveValue('chrome');
  await expect(policy(page)).toContainText('<string>com.google.Chrome</string>');
});

test('a failure to load the builds is shown, and a retry shows the policy', async ({ page }) => {
  await page.route('**/api/extension', (route) => route.fulfill({ status: 500, body: '' }));
  await enter(page, product.url + path, owner);
  await expect(page.getByRole('alert')).toContainText('Сведения о сборках не загрузились');
  await page.unroute('**/api/extension');
  await page.route('**/api/extension', (route) => route.fulfill({ json: builds }));
  await page.getByRole('button', { name: 'Повторить' }).click();
  await expect(policy(page)).toBeVisible();
});
