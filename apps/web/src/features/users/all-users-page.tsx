import { Button } from '@mantine/core';
import { listUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { lazyDialog } from '../../ui/lazy.tsx';
import { allUserColumns } from './user-columns.tsx';
import { UserList } from './user-list.tsx';

const EditAnyUserDialog = lazyDialog(() => import('./edit-user-dialog.tsx'), 'EditAnyUserDialog');

const AddAdminDialog = lazyDialog(() => import('./change-role-dialog.tsx'), 'AddAdminDialog');

/**
 * /dashboard/admin/users: all users. An owner adds users to the company; an ADMIN adds admins, edits and removes
 * users.
 */
export function AllUsersPage() {
  const [adding, setAdding] = useState(false);
  return (
    <>
      <UserList
        list={listUsers}
        help={t.users.allHelp}
        columns={allUserColumns}
        add={
          <Button
            leftSection={<IconUserPlus size={16} aria-hidden />}
            onClick={() => setAdding(true)}
            {...AddAdminDialog.intent}
          >
            {t.roleChange.addAdmin}
          </Button>
        }
        Editor={EditAnyUserDialog}
      />
      {adding && <AddAdminDialog onClose={() => setAdding(false)} />}
    </>
  );
}
