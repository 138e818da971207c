import { expect } from '@playwright/test';
import { createProxy } from '@propusk/contract/proxies';
import { listSites } from '@propusk/contract/sites';
import { dialogOf, enter, field, row, saveOf, startConsole, test } from '../support/console.ts';

/** Tests that the console explains a user's mistake, and that empty screens name the next step. */
let owner: string;
let supplied: string;
const product = startConsole(async (console) => {
  owner = await console.owner('owner@romashka.test');
  supplied = await console.owner('owner@lutik.test');
  const body = { host: 'own.lutik.test', port: 3128, username: 'login', password: 'secret' };
  await console.call(supplied, createProxy, { body });
});

test('the site form refuses an email address and explains what to enter', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
  const dialog = dialogOf(page);
  await field(dialog, 'Адрес').fill('name@company.ru');
  await saveOf(dialog).click();
  await expect(
    dialog.getByText('Это почта. Укажите адрес сайта, например crm.example.ru').first(),
  ).toBeVisible();
  await expect(field(dialog, 'Адрес')).toHaveValue('name@company.ru');
  expect((await product.call(owner, listSites)).count).toBe(0);
});

test('the site form adds a pasted list of sites, names a refused line and asks about look-alike letters', async ({
  page,
}) => {
  await enter(page, `${product.url}/dashboard/creator/domains`, owner);
  await page.getByRole('button', { name: 'Добавить', exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Новый сайт' });
  const address = field(dialog, 'Адрес');
  await address.fill('https://a.romashka.test/\nхrm.romashka.test, localhost');
  await expect(address).toHaveAccessibleDescription(/Добавятся сайты: 3/);
  const question = page.getByRole('dialog', { name: 'смешаны латиница и кириллица' });
  const save = async () => {
    await saveOf(dialog).click();
    await expect(question).toContainText('В слове «хrm» «х» кириллицей, «rm» латиницей');
  };
  await save();
  await question.getByRole('button', { name: 'Отмена' }).click();
  await expect(address).toHaveValue('https://a.romashka.test/\nхrm.romashka.test\nlocalhost');
  await save();
  await question.getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialog.getByText(/^localhost: Укажите полное имя сайта/)).toBeVisible();
  await address.fill('https://a.romashka.test/\nхrm.romashka.test');
  await save();
  await question.getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialog).toHaveCount(0);
  const { rows } = await product.call(owner, listSites);
  expect(rows.map((site) => site.address)).toEqual(['a.romashka.test', 'xn--rm-zmc.romashka.test']);
});

test('the proxies page of a company without its own proxy offers the paid tariff and the trial', {
  tag: ['@2.42'],
}, async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/proxies`, owner);
  await expect(row(page, /шлюз/i)).toBeVisible();
  await expect(
    page.getByText('Прокси серверы отсутствуют, Добавьте собственный', { exact: false }),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Платный тариф' }).click();
  await expect(dialogOf(page)).toContainText('обратитесь к менеджеру');
  await page.keyboard.press('Escape');
  // When no plan serves as the trial, the button shows the manager's contact.
  await page.getByRole('button', { name: 'Попробовать 30 дней' }).click();
  await expect(dialogOf(page)).toContainText('обратитесь к менеджеру');
});

test('the proxies page of a company with its own proxy does not offer the trial', async ({ page }) => {
  await enter(page, `${product.url}/dashboard/creator/proxies`, supplied);
  await expect(row(page, /own\.lutik\.test/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Попробовать 30 дней' })).toHaveCount(0);
});

test('the proxies page does not offer the trial to a company whose own proxy is on the second page', async ({
  page,
}) => {
  const admin = await product.admin();
  const late = await product.owner('late@vasilek.test');
  const upstream = { port: 3128, username: 'login', password: 'secret' };
  for (let index = 0; index < 10; index++)
    await product.call(admin, createProxy, { body: { host: `pool-${index}.platform.test`, ...upstream } });
  await product.call(late, createProxy, { body: { host: 'own.vasilek.test', ...upstream } });
  await enter(page, `${product.url}/dashboard/creator/proxies`, late);
  await expect(page.getByRole('row')).toHaveCount(11);
  await page.waitForLoadState('networkidle');
  await expect(page.getByText('Прокси серверы отсутствуют', { exact: false })).toHaveCount(0);
  // A company without a proxy of its own sees the offer above the platform's proxies.
  await enter(page, `${product.url}/dashboard/creator/proxies`, owner);
  const offer = page.getByText('Прокси серверы отсутствуют', { exact: false });
  await expect(offer).toBeVisible();
  const [above, table] = [await offer.boundingBox(), await page.getByRole('table').boundingBox()];
  expect(above?.y).toBeLessThan(table?.y ?? 0);
});

test('the company page calls the second factor optional when the company does not require it', async ({
  page,
}) => {
  await enter(page, `${product.url}/dashboard/creator/company`, owner);
  await expect(page.getByText('По желанию каждого')).toBeVisible();
  await expect(page.getByText('Код из приложения каждый включает себе сам.', { exact: false })).toBeVisible();
  await expect(
    page.getByText('Пользователи компании входят с паролем и кодом', { exact: false }),
  ).toHaveCount(0);
});
