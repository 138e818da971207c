import { companyUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { AddButton } from '../../ui/add-button.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { userColumns } from './user-columns.tsx';
import { UserList } from './user-list.tsx';

const CreateUserDialog = lazyDialog(() => import('../../common/create-user-dialog.tsx'), 'CreateUserDialog');
const EditUserDialog = lazyDialog(() => import('./edit-user-dialog.tsx'), 'EditUserDialog');

/** /dashboard/creator/users. */
export function UsersPage() {
  const [creating, setCreating] = useState(false);
  return (
    <>
      <UserList
        list={companyUsers}
        help={t.users.help}
        columns={userColumns}
        add={<AddButton opens={CreateUserDialog} onClick={() => setCreating(true)} />}
        Editor={EditUserDialog}
      />
      {creating && <CreateUserDialog onClose={() => setCreating(false)} />}
    </>
  );
}
