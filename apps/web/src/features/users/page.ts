import * as t from '@propusk/phrases/console';
import { IconUsers } from '@tabler/icons-react';
import { dialog, list } from '../../routes.ts';

const item = { label: t.nav.users, Icon: IconUsers };
const load = () => import('./page.tsx');
const create = () => import('../../entities/user/create-user-dialog.tsx');
const invite = () => import('./invite-agents-dialog.tsx');
const imports = () => import('./import-dialog.tsx');
const edit = () => import('./form.tsx');
const addAdmin = () => import('./change-role-dialog.tsx');

const users = list('/dashboard/creator/users', load, 'UsersPage', item);
export const usersPage = users.addChildren([
  dialog(users, 'new', create, 'CreateUserDialog'),
  dialog(users, 'invite', invite, 'InviteAgentsDialog'),
  dialog(users, 'import', imports, 'ImportUsersDialog'),
  dialog(users, '$id/edit', edit, 'EditUserDialog'),
]);

const all = list('/dashboard/admin/users', load, 'AllUsersPage', item);
export const allUsersPage = all.addChildren([
  dialog(all, 'new', addAdmin, 'AddAdminDialog'),
  dialog(all, '$id/edit', edit, 'EditAnyUserDialog'),
]);
