import { Anchor, Button } from '@mantine/core';
import { companyUsers, deleteUser, type User } from '@propusk/contract/users';
import { IconPencil, IconPlus, IconTrash, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { dayColumns } from '../../common/day-columns.tsx';
import { ListPage } from '../../common/list-page.tsx';
import { rolesOf } from '../../common/me.tsx';
import { userName } from '../../common/names.ts';
import { useRemove } from '../../common/use-remove.ts';
import { t } from '../../dictionary/dictionary.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Tags } from '../../ui/tags.tsx';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { EditUserDialog } from './edit-user-dialog.tsx';
import classes from './users-page.module.css';

const columns: readonly Column<User>[] = [
  {
    key: 'name',
    title: t.users.person,
    main: true,
    render: (user) => (
      <span className={classes.person}>
        <span>{userName(user)}</span>
        <Anchor href={`mailto:${user.email}`} className={classes.email}>
          {user.email}
        </Anchor>
      </span>
    ),
  },
  {
    key: 'roles',
    title: t.users.roles,
    width: '140px',
    render: (user) =>
      rolesOf(user)
        .map((role) => t.users.role[role])
        .join(', ') || t.common.none,
  },
  {
    key: 'politics',
    title: t.users.policies,
    render: (user) => <Tags names={user.politics} none={t.users.noPolicies} />,
  },
  ...dayColumns<User>(),
];

type Dialog = { kind: 'create' } | { kind: 'edit'; user: User } | null;

/** /dashboard/creator/users. */
export function UsersPage() {
  const [dialog, setDialog] = useState<Dialog>(null);
  const remove = useRemove(deleteUser, t.users.remove);
  const close = () => setDialog(null);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ kind: 'create' })}>
      {t.common.add}
    </Button>
  );
  return (
    <>
      <ListPage
        title={t.users.title}
        help={t.users.help}
        searchLabel={t.users.search}
        list={companyUsers}
        columns={columns}
        rowMenu={{
          name: userName,
          actions: (user) => [
            {
              label: t.common.edit,
              icon: <IconPencil size={16} aria-hidden />,
              run: () => setDialog({ kind: 'edit', user }),
            },
            ...(isProtected(user)
              ? []
              : [
                  {
                    label: t.common.remove,
                    icon: <IconTrash size={16} aria-hidden />,
                    danger: true,
                    run: () => remove(user.id, `${userName(user)}, ${user.email}`),
                  },
                ]),
          ],
        }}
        empty={{ icon: <IconUsers size={24} />, title: t.users.empty, hint: t.users.emptyHint, action: add }}
        actions={add}
      />
      {dialog?.kind === 'create' && <CreateUserDialog onClose={close} />}
      {dialog?.kind === 'edit' && (
        <EditUserDialog user={dialog.user} withPassword={!isProtected(dialog.user)} onClose={close} />
      )}
    </>
  );
}

/** Deleting and new passwords are not offered for holders of ADMIN or CREATOR (spec section 6). */
function isProtected(user: User): boolean {
  return rolesOf(user).some((role) => role !== 'USER');
}
