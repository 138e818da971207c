import { expect, type Page } from '@playwright/test';
import { press, rowDialog } from './page-actions.ts';
import type { Scenario } from './scenarios.ts';

// The dialogs that change roles. No role changes: the server reply is stubbed.
const users = '/dashboard/creator/users';
const allUsers = '/dashboard/admin/users';

/** Submits the dialog; the stubbed server refuses. */
const refused = (name: string, status: number, json: object) => async (page: Page) => {
  await page.route('**/api/users/*/role', (route) => route.fulfill({ status, json }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Ваш текущий пароль/).fill('not the password');
  await dialog.getByRole('button', { name, exact: true }).click();
  await expect(dialog.getByRole('alert')).toBeVisible();
};
const wrongPassword = {
  code: 'bad_input',
  message: 'Проверьте введённые данные',
  fields: { currentPassword: 'Неверный пароль' },
};
const lastOwner = {
  code: 'last_owner',
  message: 'Это единственный владелец компании. Сначала сделайте владельцем кого-то ещё',
};

/** The signed-in user has a second factor, and the list holds another admin. */
const withFactorAndAdmin = async (page: Page) => {
  await page.route('**/api/me', async (route) => {
    const me = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...me, secondFactor: true } });
  });
  await page.route('**/api/users?*', async (route) => {
    const list = (await (await route.fetch()).json()) as { rows: object[]; count: number };
    const other = { id: 4711, name: 'Олег', surname: 'Смирнов', email: 'oleg@propusk.test' };
    const row = { ...list.rows[0], ...other, roles: [{ value: 'ADMIN' }], company: null, politics: [] };
    await route.fulfill({ json: { ...list, rows: [row, ...list.rows.slice(0, 9)] } });
  });
  await page.reload();
};

/** The role dialogs in every state. */
export const roleScenarios: readonly Scenario[] = [
  { name: 'roles-make-owner', role: 'owner', path: users, open: rowDialog(/Орлов/, 'Сделать владельцем') },
  {
    name: 'roles-wrong-password',
    role: 'owner',
    path: users,
    open: async (page) => {
      await rowDialog(/Орлов/, 'Сделать владельцем')(page);
      await refused('Сделать владельцем', 400, wrongPassword)(page);
    },
  },
  {
    name: 'roles-last-owner',
    role: 'admin',
    path: `${allUsers}?name=irina`,
    open: async (page) => {
      await rowDialog(/irina@/, 'Снять роль владельца')(page);
      await refused('Снять роль владельца', 409, lastOwner)(page);
    },
  },
  { name: 'roles-add-admin', role: 'admin', path: allUsers, open: press('Добавить администратора') },
  {
    name: 'roles-remove-admin',
    role: 'admin',
    path: allUsers,
    open: async (page) => {
      await withFactorAndAdmin(page);
      await rowDialog(/Смирнов/, 'Снять администратора')(page);
    },
  },
];
