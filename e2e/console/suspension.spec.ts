import { expect, type Page } from '@playwright/test';
import { createPolicy } from '@propusk/contract/policies';
import { suspendUser } from '@propusk/contract/role-changes';
import { createSite } from '@propusk/contract/sites';
import { createUser } from '@propusk/contract/users';
import {
  choose,
  dialogOf,
  enter,
  field,
  PASSWORD,
  pick,
  row,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';
import { tomorrow } from '../support/extension-world.ts';

/** The suspension of users in the console, and the times of access to sites. */
const users = '/dashboard/creator/users';
const product = startConsole(async () => {});
let serial = 0;

/** Registers a company with an agent. */
async function company() {
  const [ownerEmail, email] = [`owner${++serial}@romashka.test`, `petr${serial}@romashka.test`];
  const owner = await product.owner(ownerEmail);
  const { id } = await product.call(owner, createUser, { body: { email, password: PASSWORD } });
  return { ownerEmail, owner, email, id };
}

/** The items of a row's menu. */
async function itemsOf(page: Page, email: string): Promise<string[]> {
  await row(page, email)
    .getByRole('button', { name: /^Действия/ })
    .click();
  const items = page.getByRole('menuitem');
  await expect(items.first()).toBeVisible();
  const names = await items.allInnerTexts();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  return names;
}

async function signIn(page: Page, email: string) {
  await page.getByLabel('Почта').fill(email);
  await page.getByLabel('Пароль', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Войти' }).click();
}

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test('a suspended agent is signed out and cannot sign in until the owner resumes the access', async ({
      page,
      context,
    }) => {
      const { owner, email } = await company();
      const other = await context.browser()?.newContext({ viewport });
      const tab = await other?.newPage();
      if (tab === undefined) throw new Error('the second browser did not open');
      await enter(tab, `${product.url}/dashboard/user/domains`, await product.signIn(email));
      await enter(page, `${product.url}${users}`, owner);
      await choose(page, email, 'Приостановить');
      await expect(dialogOf(page)).toContainText('закончатся сразу');
      await expect(field(dialogOf(page), 'Ваш текущий пароль')).toHaveCount(0);
      await dialogOf(page).getByLabel('До даты').fill('05.12.2035');
      await dialogOf(page).getByRole('button', { name: 'Приостановить' }).click();
      await expect(dialogOf(page)).toHaveCount(0);
      await expect(row(page, email)).toContainText('Приостановлен до 5 декабря 2035');

      // The next call of the open tab ends its session.
      await tab.getByLabel('Поиск по адресу').fill('crm');
      await expect(tab).toHaveURL(/\/auth\/login/);
      await signIn(tab, email);
      await expect(tab.getByRole('alert')).toHaveText(
        'Доступ приостановлен. Обратитесь к владельцу компании',
      );
      await expect(tab.getByLabel('Почта')).toHaveValue(email);
      await expect(tab.getByLabel('Пароль', { exact: true })).toHaveValue(PASSWORD);

      await page.getByRole('button', { name: 'Фильтр', exact: true }).click();
      await page.getByRole('menuitemradio', { name: 'Приостановленные' }).click();
      await expect(page.getByRole('rowheader')).toHaveCount(1);
      await choose(page, email, 'Возобновить доступ');
      await expect(page.getByText('Доступ возобновлён')).toBeVisible();
      await expect(page.getByText('Таких записей нет')).toBeVisible();
      await tab.getByRole('button', { name: 'Войти' }).click();
      await expect(tab).toHaveURL(/\/dashboard\/user/);
      await other?.close();
    });

    test('an owner has no menu item to suspend themselves, and needs the password to suspend another owner', async ({
      page,
    }) => {
      const { owner, ownerEmail, email } = await company();
      await product.setRoles(email, ['CREATOR']);
      await enter(page, `${product.url}${users}`, owner);
      expect(await itemsOf(page, ownerEmail)).not.toContain('Приостановить');
      for (const action of ['Приостановить', 'Возобновить доступ']) {
        await choose(page, email, action);
        const send = dialogOf(page).getByRole('button', { name: action });
        await expect(send).toBeDisabled();
        await field(dialogOf(page), 'Ваш текущий пароль').fill('wrong horse');
        await send.click();
        await expect(dialogOf(page)).toContainText('Неверный пароль');
        await field(dialogOf(page), 'Ваш текущий пароль').fill(PASSWORD);
        await send.click();
        await expect(dialogOf(page)).toHaveCount(0);
        const tag = row(page, email).getByText('Приостановлен', { exact: true });
        await expect(tag).toHaveCount(action === 'Приостановить' ? 1 : 0);
      }
    });

    test('an admin cannot suspend the only owner of a company, and the dialog says why', async ({ page }) => {
      const { owner, ownerEmail, email, id } = await company();
      await product.call(owner, suspendUser, { params: { id }, body: { suspended: true } });
      await enter(page, `${product.url}/dashboard/admin/users?name=${ownerEmail}`, await product.admin());
      await choose(page, ownerEmail, 'Приостановить');
      await field(dialogOf(page), 'Ваш текущий пароль').fill(PASSWORD);
      await dialogOf(page).getByRole('button', { name: 'Приостановить' }).click();
      await expect(dialogOf(page).getByRole('alert')).toContainText('единственный владелец компании');
      await page.keyboard.press('Escape');
      await page.goto(`${product.url}/dashboard/admin/users?role=ADMIN`);
      expect(await itemsOf(page, 'admin@propusk.test')).not.toContain('Приостановить');
      await page.goto(`${product.url}/dashboard/admin/users?suspended=true&name=${email}`);
      await expect(row(page, email)).toContainText('Приостановлен');
    });

    test("the agent's page and the access check name the time at which a site opens", async ({ page }) => {
      const { owner, email, id } = await company();
      const site = await product.call(owner, createSite, { body: { address: `crm${serial}.romashka.test` } });
      const policy = { name: 'Стажировка', proxyId: 1, users: [id], sites: [site.id], validFrom: tomorrow() };
      await product.call(owner, createPolicy, { body: policy });
      await enter(page, `${product.url}/dashboard/user/domains`, await product.signIn(email));
      await expect(row(page, site.address)).toContainText('Откроется завтра в 9:00');
      await enter(page, `${product.url}/dashboard/creator/domains/${site.id}/why`, owner);
      await pick(page, 'Пользователь', email);
      await expect(dialogOf(page).getByRole('status')).toContainText('Откроется завтра в 9:00');
      await dialogOf(page).getByRole('link', { name: 'К политикам доступа' }).click();
      await expect(row(page, 'Стажировка')).toBeVisible();
    });
  });
}
