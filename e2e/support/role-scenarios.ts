import { expect } from '@playwright/test';
import { changing, inOrder, press, rowDialog, type Scenario, type Steps, shows, states } from './scenario.ts';

// The dialogs that change roles and suspend users. No role is changed, because the server reply is stubbed.
const users = '/dashboard/creator/users';
const allUsers = '/dashboard/admin/users';

/** Submits the dialog; the stubbed server refuses. */
const refused =
  (name: string, status: number, json: object): Steps =>
  async (page) => {
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
const withFactorAndAdmin = inOrder(
  changing('**/api/me', (me) => ({ ...me, secondFactor: true })),
  changing('**/api/users?*', ({ rows = [], ...list }) => {
    const other = { id: 4711, name: 'Олег', surname: 'Смирнов', email: 'oleg@propusk.test' };
    const row = { ...rows[0], ...other, roles: [{ value: 'ADMIN' }], company: null, politics: [] };
    return { ...list, rows: [row, ...rows.slice(0, 9)] };
  }),
);

/** The role dialogs in every state. */
export const roleScenarios: readonly Scenario[] = [
  ...states('owner', users, {
    'roles-make-owner': rowDialog(/Орлов/, 'Сделать владельцем'),
    'users-suspend': rowDialog(/Орлов/, 'Приостановить'),
    'users-suspended': changing(
      '**/api/users/company?*',
      ({ rows = [] }) => ({
        count: rows.length,
        rows: rows.map((row, at) => ({
          ...row,
          suspension: at < 2 ? { until: at === 0 ? null : '2035-12-05T21:00:00.000Z' } : null,
        })),
      }),
      shows('Приостановлен до 5 декабря 2035'),
    ),
    'roles-wrong-password': inOrder(
      rowDialog(/Орлов/, 'Сделать владельцем'),
      refused('Сделать владельцем', 400, wrongPassword),
    ),
  }),
  ...states('admin', `${allUsers}?name=irina`, {
    'users-suspend-owner': rowDialog(/irina@/, 'Приостановить'),
    'roles-last-owner': inOrder(
      rowDialog(/irina@/, 'Снять роль владельца'),
      refused('Снять роль владельца', 409, lastOwner),
    ),
  }),
  ...states('admin', allUsers, {
    'roles-add-admin': press('Добавить администратора'),
    'roles-remove-admin': inOrder(withFactorAndAdmin, rowDialog(/Смирнов/, 'Снять администратора')),
  }),
];
