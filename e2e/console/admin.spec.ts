import { expect, type Page } from '@playwright/test';
import { createCompany } from '@propusk/contract/companies';
import { createPolicy } from '@propusk/contract/policies';
import { createProxy } from '@propusk/contract/proxies';
import { createUser } from '@propusk/contract/users';
import { choose, dialogOf, PASSWORD, row, screensOf, startConsole, test } from '../support/console.ts';
import { linkTo } from '../support/mailbox.ts';

/** The platform administration, and an owner's edits of company and proxy, on a desktop and a phone. */
const ownerAddress = 'irina@romashka.test';
const adminAddress = 'admin@propusk.test';
let adminToken: string;
let ownerToken: string;

const product = startConsole(async (console) => {
  adminToken = await console.admin();
  ownerToken = await console.owner(ownerAddress);
  // More rows than one page holds.
  for (let n = 1; n <= 11; n += 1) {
    const body = { companySite: `list-${n}.test`, companyName: `Список ${n}` };
    await console.call(adminToken, createCompany, { body });
  }
});

/** Opens a page as a signed-in user who has finished the onboarding. */
async function open(page: Page, token: string, path: string): Promise<void> {
  await page.addInitScript((value) => {
    localStorage.setItem('access_token', value);
    localStorage.setItem('checkOnboarding', 'true');
  }, token);
  await page.goto(product.url + path);
}

async function actionsOf(page: Page, name: string | RegExp): Promise<string[]> {
  await row(page, name)
    .getByRole('button', { name: /^Действия/ })
    .click();
  // The code of the row menu loads on demand, so wait for its items.
  await expect(page.getByRole('menuitem').first()).toBeVisible();
  const names = await page.getByRole('menuitem').allTextContents();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  return names;
}

async function save(page: Page): Promise<void> {
  await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
  await expect(dialogOf(page)).toHaveCount(0);
}

async function agree(page: Page): Promise<void> {
  await dialogOf(page).getByRole('button', { name: 'Да', exact: true }).click();
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('an admin starts on the companies page, and the navigation holds the specified items and the audit', {
      tag: ['@2.17', '@4.6'],
    }, async ({ page }) => {
      await open(page, adminToken, '/');
      await expect(page).toHaveURL(/\/dashboard\/admin\/companies$/);
      if (screen === 'phone') await page.getByRole('button', { name: 'Открыть меню' }).click();
      const links = page.getByRole('navigation', { name: 'Разделы' }).getByRole('link');
      await expect(links).toHaveText([
        'Компании',
        'Пользователи',
        'Прокси-серверы',
        'Тарифы',
        'Состояние',
        'Журнал',
      ]);
      for (const [name, path] of [
        ['Пользователи', 'users'],
        ['Прокси-серверы', 'proxies'],
      ] as const) {
        await links.filter({ hasText: name }).click();
        await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
        await expect(page).toHaveURL(new RegExp(`/dashboard/admin/${path}$`));
        if (screen === 'phone') await page.getByRole('button', { name: 'Открыть меню' }).click();
      }
    });

    test('an admin pages through, searches, adds, changes and deletes companies', {
      tag: ['@2.48', '@2.60', '@2.63', '@4.23'],
    }, async ({ page }) => {
      await open(page, adminToken, '/dashboard/admin/companies');
      await expect(row(page, 'ООО «Ромашка»')).toBeVisible();
      await expect(page.getByText(/^1–10 из 1\d$/)).toBeVisible();
      await page.getByRole('button', { name: 'Следующая страница' }).click();
      await expect(page.getByText(/^11–1\d из 1\d$/)).toBeVisible();
      await page.getByRole('searchbox', { name: 'Поиск компании' }).fill('LIST-11');
      await expect(row(page, 'Список 11')).toBeVisible();
      await expect(page.getByText('1 из 1')).toBeVisible();

      await page.getByRole('button', { name: 'Добавить' }).click();
      await dialogOf(page).getByRole('textbox', { name: 'Сайт' }).fill(`${screen}.test`);
      await save(page);
      await page.getByRole('searchbox').fill(`${screen}.test`);
      await choose(page, `${screen}.test`, 'Редактировать');
      await expect(dialogOf(page).getByRole('heading', { name: 'Change company' })).toBeVisible();
      await dialogOf(page).getByRole('textbox', { name: 'Название' }).fill(`Компания ${screen}`);
      await save(page);
      await expect(page.getByText('Успешное обновление!')).toBeVisible();

      await choose(page, `Компания ${screen}`, 'Удалить');
      await expect(dialogOf(page).getByText('Do you really want to delete the company?')).toBeVisible();
      await expect(dialogOf(page).getByText(/Все её данные пропадут/)).toBeVisible();
      await dialogOf(page)
        .getByLabel(/^Ваш текущий пароль/)
        .fill(PASSWORD);
      await agree(page);
      await expect(page.getByText('Успешное удаление!')).toBeVisible();
      await expect(row(page, `Компания ${screen}`)).toHaveCount(0);
    });

    test('an invited owner sets a password through the mailed link and sees the company', async ({
      page,
      browser,
    }) => {
      const email = `owner-${screen}@list-7.test`;
      await open(page, adminToken, '/dashboard/admin/companies?name=list-7');
      await choose(page, 'Список 7', 'Пригласить владельца');
      await expect(dialogOf(page)).toContainText('Владелец компании «Список 7» получит ссылку');
      await dialogOf(page).getByLabel('Почта').fill(ownerAddress);
      await dialogOf(page)
        .getByLabel(/^Ваш текущий пароль/)
        .fill(PASSWORD);
      await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
      // After a refused save the form keeps the typed text and shows the error at the field.
      await expect(dialogOf(page)).toContainText('Эта почта уже занята');
      await dialogOf(page).getByLabel('Почта').fill(email);
      await dialogOf(page).getByLabel('Имя').fill('Пётр');
      await save(page);
      await expect(page.getByText('Приглашение создано')).toBeVisible();

      const theirs = await browser.newPage();
      await theirs.goto(await linkTo(product.dataDir, email));
      await theirs.getByLabel('Новый пароль', { exact: true }).fill('a horse of my own');
      await theirs.getByLabel(/^Повторите пароль/).fill('a horse of my own');
      await theirs.getByRole('button', { name: 'Сохранить пароль' }).click();
      await theirs.getByLabel('Почта').fill(email);
      await theirs.getByLabel('Пароль', { exact: true }).fill('a horse of my own');
      await theirs.getByRole('button', { name: 'Войти' }).click();
      await expect(theirs.getByRole('heading', { level: 1, name: 'Сайты' })).toBeVisible();
      await theirs.goto(`${product.url}/dashboard/creator/company`);
      await expect(theirs.getByText('Список 7')).toBeVisible();
      await theirs.close();
    });

    test('an admin edits users of every company, but cannot set the password of an owner', {
      tag: ['@2.19', '@2.52', '@6.5'],
    }, async ({ page }) => {
      const politics: number[] = [];
      for (const name of ['Склад', 'Продажи']) {
        const policy = await product.call(ownerToken, createPolicy, {
          body: { name: `${name} ${screen}`, proxyId: 1 },
        });
        politics.push(policy.id);
      }
      const email = `petr.${screen}@romashka.test`;
      const agent = { name: 'Пётр', surname: screen, email, password: 'battery staple', politics };
      await product.call(ownerToken, createUser, { body: agent });
      await open(page, adminToken, '/dashboard/admin/users');
      await expect(row(page, email)).toContainText('ООО «Ромашка»');
      await expect(row(page, email)).toContainText('Агент');
      expect(await actionsOf(page, ownerAddress)).toEqual([
        'Редактировать',
        'Снять роль владельца',
        'Приостановить',
      ]);
      expect(await actionsOf(page, adminAddress)).toEqual(['Редактировать']);
      await choose(page, ownerAddress, 'Редактировать');
      await expect(dialogOf(page).getByRole('textbox', { name: 'Почта' })).toHaveValue(ownerAddress);
      await expect(dialogOf(page).getByLabel(/^Новый пароль/)).toHaveCount(0);
      const ownerEmail = dialogOf(page).getByRole('textbox', { name: 'Почта' });
      // A changed email could take the account over, so the form asks the admin for their own password.
      const proof = dialogOf(page).getByLabel(/^Ваш текущий пароль/);
      await expect(proof).toHaveCount(0);
      await ownerEmail.fill(`moved.${ownerAddress}`);
      await expect(dialogOf(page).getByRole('button', { name: 'Сохранить' })).toBeDisabled();
      await proof.fill('a wrong horse');
      await dialogOf(page).getByRole('button', { name: 'Сохранить' }).click();
      await expect(dialogOf(page)).toContainText('Неверный пароль');
      await ownerEmail.fill(ownerAddress);
      await expect(proof).toHaveCount(0);
      await dialogOf(page).getByRole('button', { name: 'Отмена' }).click();
      const question = page.getByRole('dialog', { name: 'Закрыть и потерять введённое?' });
      await question.getByRole('button', { name: 'Закрыть', exact: true }).click();
      // An admin's own email changes only by a link in mail.
      await choose(page, adminAddress, 'Редактировать');
      await expect(dialogOf(page).getByRole('textbox', { name: 'Почта' })).toBeDisabled();
      await dialogOf(page).getByRole('button', { name: 'Отмена' }).click();

      await choose(page, email, 'Редактировать');
      await expect(dialogOf(page).getByLabel(/^Новый пароль/)).toBeVisible();
      await dialogOf(page).getByRole('combobox', { name: 'Политики доступа' }).click();
      // The form offers an admin only the policies that the edited user already has.
      await expect(page.getByRole('option')).toHaveText([`Склад ${screen}`, `Продажи ${screen}`]);
      await page.getByRole('option', { name: 'Склад' }).click();
      await page.keyboard.press('Tab');
      await save(page);
      await expect(row(page, email)).toContainText(`Продажи ${screen}`);
      await expect(row(page, email)).not.toContainText(`Склад ${screen}`);

      await choose(page, email, 'Удалить');
      await expect(dialogOf(page).getByText('Do you really want to delete the user?')).toBeVisible();
      await agree(page);
      await expect(row(page, email)).toHaveCount(0);
    });

    test('an admin adds and deletes a platform proxy, but cannot delete a proxy in use', {
      tag: ['@2.19', '@2.20', '@2.44', '@2.54', '@2.55', '@4.22'],
    }, async ({ page }) => {
      const host = `${screen}.platform.test`;
      await open(page, adminToken, '/dashboard/admin/proxies');
      await page.getByRole('link', { name: 'Прокси платформы' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'Прокси платформы' })).toBeVisible();
      await page.getByRole('button', { name: 'Добавить' }).click();
      const dialog = dialogOf(page);
      await dialog.getByRole('textbox', { name: 'Хост' }).fill(host);
      await dialog.getByRole('textbox', { name: 'Порт' }).fill('3129');
      await dialog.getByRole('textbox', { name: 'Логин' }).fill('login');
      await dialog.getByLabel(/^Пароль/).fill('secret');
      await save(page);
      await expect(page.getByText('Порт 3129')).toBeVisible();
      await choose(page, host, 'Редактировать');
      await expect(dialog.getByRole('textbox', { name: 'Тип' })).toBeDisabled();
      await dialog.getByRole('checkbox', { name: 'Для всех сайтов' }).check();
      await save(page);
      await expect(row(page, host)).toContainText('{"type":"default","allSites":true}');

      // For the proxy row of the platform's gateway, an admin can change only the option for all sites.
      expect(await actionsOf(page, 'Шлюз платформы')).toEqual(['Проверить прокси', 'Редактировать']);
      await choose(page, 'Шлюз платформы', 'Редактировать');
      await expect(dialog.getByRole('textbox', { name: 'Хост' })).toBeDisabled();
      await expect(dialog.getByRole('textbox', { name: 'Логин' })).toHaveCount(0);
      await dialog.getByRole('checkbox', { name: 'Для всех сайтов' }).click();
      await save(page);

      const own = { host: `${screen}.company.test`, port: 8080, username: 'login', password: 'secret' };
      const { id } = await product.call(ownerToken, createProxy, { body: own });
      await product.call(ownerToken, createPolicy, { body: { name: `Занят ${screen}`, proxyId: id } });
      await page.reload();
      await expect(row(page, host)).toBeVisible();
      await expect(row(page, own.host)).toHaveCount(0);
      // Specification section 2: both paths show the admin proxy table.
      for (const path of ['politics', 'proxies']) {
        await page.goto(`${product.url}/dashboard/admin/${path}`);
        await expect(row(page, own.host)).toContainText('ООО «Ромашка»');
        await expect(row(page, own.host)).not.toHaveClass(/default/);
        await expect(row(page, host)).toHaveClass(/default/);
      }
      await choose(page, own.host, 'Удалить');
      await agree(page);
      await expect(dialog.getByRole('alert')).toContainText(`«Занят ${screen}»`);
      await dialog.getByRole('button', { name: 'Нет', exact: true }).click();
      await choose(page, host, 'Удалить');
      await expect(dialog.getByText('Вы действительно хотите удалить прокси?')).toBeVisible();
      await agree(page);
      await expect(row(page, host)).toHaveCount(0);
    });

    test("an owner edits the company, and edits a proxy without retyping the proxy's password", {
      tag: ['@2.21', '@2.22', '@5.11'],
    }, async ({ page }) => {
      const host = `${screen}.owner.test`;
      await product.call(ownerToken, createProxy, {
        body: { host, port: 8080, username: 'login', password: 'secret' },
      });
      await open(page, ownerToken, '/dashboard/creator/proxies');
      await expect(row(page, 'Шлюз платформы')).toBeVisible();
      await expect(row(page, 'Шлюз платформы').getByRole('button', { name: /^Действия/ })).toHaveCount(0);
      await choose(page, host, 'Редактировать');
      const put = page.waitForRequest((request) => request.method() === 'PUT');
      await dialogOf(page).getByRole('textbox', { name: 'Логин' }).fill('renamed');
      await save(page);
      expect((await put).postDataJSON()).toEqual({ username: 'renamed' });
      await expect(page.getByText('Успешное обновление!')).toBeVisible();
      await page.getByRole('button', { name: 'Добавить Платный' }).click();
      await expect(dialogOf(page).getByText(/обратитесь к менеджеру/)).toBeVisible();
      await page.keyboard.press('Escape');

      await page.goto(`${product.url}/dashboard/creator/company`);
      expect(await actionsOf(page, 'romashka.test')).toEqual(['Редактировать']);
      await choose(page, 'romashka.test', 'Редактировать');
      await expect(dialogOf(page).getByRole('heading', { name: 'Change company' })).toBeVisible();
      await dialogOf(page).getByRole('textbox', { name: 'Сайт' }).fill(`${screen}.romashka.test`);
      await save(page);
      await expect(row(page, 'ООО «Ромашка»')).toContainText(`${screen}.romashka.test`);
      for (const [path, title] of [
        ['statistics', 'Статистика'],
        ['tariff', 'Тариф'],
      ]) {
        await page.goto(`${product.url}/dashboard/creator/${path}`);
        await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      }
    });
  });
}
