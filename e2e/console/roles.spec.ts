import { expect, type Locator, type Page } from '@playwright/test';
import {
  choose,
  dialogOf,
  enter,
  field,
  heading,
  row,
  screensOf,
  startConsole,
  test,
} from '../support/console.ts';
import { linkTo } from '../support/mailbox.ts';

/** Changes of the owner and admin roles in the console. */
const PASSWORD = 'correct horse';
const product = startConsole(async () => {});
let serial = 0;
/** The test removes this admin, so its run on the next screen size signs in as the invited admin. */
let adminEmail = 'admin@propusk.test';

const password = (dialog: Locator) => field(dialog, 'Ваш текущий пароль');
async function confirm(page: Page, name: string): Promise<void> {
  await dialogOf(page).getByRole('button', { name, exact: true }).click();
}
const role = (page: Page, email: string) => row(page, email).locator('[data-label="Роли"]');

for (const [screen, viewport] of screensOf(import.meta.url)) {
  test.describe(screen, () => {
    test.use({ viewport });

    test("an owner makes an agent an owner, and the new owner then removes the first owner's role", async ({
      page,
    }) => {
      const [ownerEmail, email] = [`owner${++serial}@romashka.test`, `petr${serial}@romashka.test`];
      const owner = await product.owner(ownerEmail);
      const agent = await product.agent(owner, email);
      await enter(page, `${product.url}/dashboard/creator/users`, owner);
      await choose(page, email, 'Сделать владельцем');
      await expect(dialogOf(page)).toContainText(`${email}Этот пользователь будет управлять компанией`);
      await password(dialogOf(page)).fill('wrong horse');
      await confirm(page, 'Сделать владельцем');
      await expect(dialogOf(page)).toContainText('Неверный пароль');
      await password(dialogOf(page)).fill(PASSWORD);
      await confirm(page, 'Сделать владельцем');
      await expect(dialogOf(page)).toHaveCount(0);
      await expect(role(page, email)).toHaveText('Пользователь (владелец)');

      await enter(page, `${product.url}/dashboard/user/domains`, agent);
      await expect(page).toHaveURL(/\/auth\/login/);
      await enter(page, `${product.url}/dashboard/creator/users`, await product.signIn(email));
      await expect(heading(page, 'Пользователи')).toBeVisible();
      await choose(page, ownerEmail, 'Снять роль владельца');
      await password(dialogOf(page)).fill(PASSWORD);
      await confirm(page, 'Снять роль владельца');
      await expect(dialogOf(page)).toHaveCount(0);
      await expect(role(page, ownerEmail)).toHaveText('Агент');
      await enter(page, `${product.url}/dashboard/creator/users`, owner);
      await expect(page).toHaveURL(/\/auth\/login/);
    });

    test("an admin invites a second admin, who removes the first admin's role and signs that admin out", async ({
      page,
    }) => {
      const email = `next${++serial}@propusk.test`;
      const removed = adminEmail;
      const first = await product.signIn(removed);
      await enter(page, `${product.url}/dashboard/admin/users`, first);
      await page.getByRole('button', { name: 'Добавить администратора' }).click();
      await field(dialogOf(page), 'Почта').fill(email);
      await password(dialogOf(page)).fill(PASSWORD);
      await confirm(page, 'Пригласить');
      await expect(dialogOf(page)).toHaveCount(0);
      await expect(role(page, email)).toHaveText('Админ');

      await enter(page, await linkTo(product.dataDir, email), null);
      await page.getByLabel('Новый пароль', { exact: true }).fill(PASSWORD);
      await page.getByLabel(/^Повторите пароль/).fill(PASSWORD);
      await page.getByRole('button', { name: 'Сохранить пароль' }).click();
      await expect(page).toHaveURL(/\/auth\/login/);
      const next = await product.signIn(email);
      await enter(page, `${product.url}/dashboard/admin/users`, next);
      await choose(page, removed, 'Снять администратора');
      await password(dialogOf(page)).fill(PASSWORD);
      await confirm(page, 'Снять администратора');
      await expect(dialogOf(page)).toHaveCount(0);
      await expect(row(page, removed)).toHaveCount(0);
      adminEmail = email;
      await page.goto(`${product.url}/dashboard/admin/audit`);
      await expect(page.getByRole('main')).toContainText(`добавлен пользователь ${email}`);
      await expect(page.getByRole('main')).toContainText(`удалён пользователь ${removed}`);
      await enter(page, `${product.url}/dashboard/admin/users`, first);
      await expect(page).toHaveURL(/\/auth\/login/);
    });
  });
}
