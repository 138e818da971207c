import { listUsers } from '@propusk/contract/users';
import { t } from '../../dictionary/dictionary.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { allUserColumns } from './user-columns.tsx';
import { UserList } from './user-list.tsx';

const EditAnyUserDialog = lazyPart(() =>
  import('./edit-user-dialog.tsx').then((module) => module.EditAnyUserDialog),
);

/** /dashboard/admin/users: everybody. An owner adds people to the company; an ADMIN changes and removes them. */
export function AllUsersPage() {
  return (
    <UserList list={listUsers} help={t.users.allHelp} columns={allUserColumns} Editor={EditAnyUserDialog} />
  );
}
