import { type User } from '@propusk/contract/me';
import { deleteUser } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { IconShieldOff, IconUserCog, IconUsers } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ListEndpoint } from '../../api/list.ts';
import { ListPage } from '../../common/list-page.tsx';
import { rolesOf, useMe } from '../../common/me.tsx';
import { userName } from '../../common/names.ts';
import { useRemove } from '../../common/use-remove.ts';
import type { Column } from '../../ui/data-table.tsx';
import { type LazyDialog, lazyDialog } from '../../ui/lazy.tsx';
import { editing, type RowAction, removing } from '../../ui/row-menu.tsx';
import { isProtected } from './is-protected.ts';
import { type RoleStep, roleStep } from './role-changes.ts';
import { useResetFactor } from './use-reset-factor.ts';

const ChangeRoleDialog = lazyDialog(() => import('./change-role-dialog.tsx'), 'ChangeRoleDialog');

/** A list of users with the actions edit, role change, second factor reset and delete. */
export function UserList(props: {
  list: ListEndpoint<User>;
  help: string;
  columns: readonly Column<User>[];
  add?: ReactNode;
  /** The dialog that edits a user. */
  Editor: LazyDialog<{ user: User; onClose: () => void }>;
}) {
  const { Editor } = props;
  const [edited, setEdited] = useState<User | null>(null);
  const [change, setChange] = useState<{ user: User; step: RoleStep } | null>(null);
  const me = useMe();
  const admin = rolesOf(me).includes('ADMIN');
  const factor = useResetFactor();
  const remove = useRemove(deleteUser, t.users.remove, { of: 'user' });
  /** At most one action: the role change offered for this user. */
  function roleActions(user: User): readonly RowAction[] {
    const step = roleStep(me, user);
    if (step === null) return [];
    return [
      {
        label: t.roleChange[step].action,
        icon: <IconUserCog size={16} aria-hidden />,
        opens: ChangeRoleDialog,
        run: () => setChange({ user, step }),
      },
    ];
  }
  return (
    <>
      <ListPage
        title={t.users.title}
        help={props.help}
        searchLabel={t.users.search}
        list={props.list}
        columns={props.columns}
        rowMenu={{
          name: userName,
          actions: (user) => [
            editing(Editor, () => setEdited(user)),
            ...(factor.canReset(user)
              ? [
                  {
                    label: t.factor.reset,
                    icon: <IconShieldOff size={16} aria-hidden />,
                    // An ADMIN proves who they are in the dialog.
                    run: () => (admin ? setChange({ user, step: 'resetFactor' }) : factor.reset(user)),
                  },
                ]
              : []),
            ...roleActions(user),
            ...(isProtected(user)
              ? []
              : [removing(() => remove(user.id, `${userName(user)}, ${user.email}`))]),
          ],
        }}
        empty={{
          icon: <IconUsers size={24} />,
          title: t.users.empty,
          hint: t.users.emptyHint,
          action: props.add,
        }}
        actions={props.add}
      />
      {change && <ChangeRoleDialog {...change} onClose={() => setChange(null)} />}
      {edited && <Editor user={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
