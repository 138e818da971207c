import { Button } from '@mantine/core';
import { inviteAgain, type MadeInvitations } from '@propusk/contract/invitations';
import type { User } from '@propusk/contract/me';
import { suspendUser } from '@propusk/contract/role-changes';
import { companyUsers, deleteUser, listUsers, updateUser, userIds } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import {
  IconMail,
  IconPlayerPause,
  IconPlayerPlay,
  IconShieldOff,
  IconUserCog,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ListEndpoint } from '../../api/list.ts';
import { useCall } from '../../api/queries.ts';
import { dialogLink, type Path, useOpen } from '../../dialog-route.tsx';
import { nearestEnd, ownZone } from '../../entities/policy/moments.ts';
import { allUserFilters, userFilters } from '../../entities/user/filters.ts';
import { rolesOf, useMe } from '../../entities/user/me.tsx';
import { userName } from '../../entities/user/names.ts';
import { messageOf } from '../../forms/use-attempt.ts';
import { AddButton, ImportButton } from '../../lists/add-button.tsx';
import { ExtendDialog, extending } from '../../lists/extending.tsx';
import type { Filters } from '../../lists/filters.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { editing, type RowAction, removing } from '../../lists/row-menu.tsx';
import { useRemove } from '../../lists/use-remove.ts';
import type { Column } from '../../ui/data-table.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { toastFailure, toastSuccess } from '../../ui/toast.ts';
import { isProtected, isResettable, type RoleStep, roleStep, suspensionStep } from './role-changes.ts';
import { allUserColumns, userColumns } from './user-columns.tsx';

const InvitationLinks = lazyDialog(
  () => import('../../entities/user/invitation-links.tsx'),
  'InvitationLinks',
);
const ChangeRoleDialog = lazyDialog(() => import('./change-role-dialog.tsx'), 'ChangeRoleDialog');

/** A list of users with the actions edit, role change, suspension, second factor reset and delete. */
function UserList(props: {
  list: ListEndpoint<User>;
  help: string;
  filters: Filters;
  columns: readonly Column<User>[];
  add?: ReactNode;
  /** The path of the dialog that edits a user. */
  edit: Path;
}) {
  const [change, setChange] = useState<{ user: User; step: RoleStep } | null>(null);
  const me = useMe();
  const remove = useRemove(deleteUser, t.users.remove, { of: 'user' });
  const withdraw = useRemove(
    deleteUser,
    t.invitations.withdrawQuestion,
    { says: t.invitations.withdrawHint },
    t.invitations.withdrawn,
  );
  const [extended, setExtended] = useState<User | null>(null);
  const update = useCall(updateUser);
  const again = useCall(inviteAgain);
  const [links, setLinks] = useState<MadeInvitations | null>(null);
  async function inviteOnceMore({ id }: User) {
    try {
      const made = await again.mutateAsync({ params: { id } });
      if (made.mailed) toastSuccess(t.invitations.sent(1));
      else setLinks(made);
    } catch (error) {
      toastFailure(messageOf(error));
    }
  }
  const suspension = useCall(suspendUser);
  const changing = (icon: ReactNode, user: User, step: RoleStep): RowAction => ({
    label: t.roleChange[step].action,
    icon,
    opens: ChangeRoleDialog,
    run: () => setChange({ user, step }),
  });
  /** The menu items that change this user's role and reset the second factor, where the console offers them. */
  function changesOf(user: User): readonly RowAction[] {
    const step = roleStep(me, user);
    const reset = isResettable(me, user);
    return [
      ...(reset ? [changing(<IconShieldOff size={16} aria-hidden />, user, 'resetFactor')] : []),
      ...(step ? [changing(<IconUserCog size={16} aria-hidden />, user, step)] : []),
    ];
  }
  /** The menu item that suspends a user or lifts the suspension. For an owner, both ask for the password. */
  function suspensionOf(user: User): readonly RowAction[] {
    const step = suspensionStep(me, user);
    if (step === null || (user.invitation && step === 'suspend')) return [];
    const Icon = step === 'suspend' ? IconPlayerPause : IconPlayerPlay;
    const action = changing(<Icon size={16} aria-hidden />, user, step);
    if (step === 'suspend' || isProtected(user)) return [action];
    const call = { params: { id: user.id }, body: { suspended: false } };
    const onSuccess = () => toastSuccess(t.roleChange.resume.done, userName(user));
    const run = () =>
      suspension.mutate(call, { onSuccess, onError: (error) => toastFailure(messageOf(error)) });
    return [{ label: action.label, icon: action.icon, run }];
  }
  /** The menu items for an invited user. An ADMIN cannot invite agents, so only an owner gets the item that invites again. */
  const invitationOf = (user: User): readonly RowAction[] => [
    ...(rolesOf(me).includes('CREATOR')
      ? [
          {
            label: t.invitations.again,
            icon: <IconMail size={16} aria-hidden />,
            run: () => void inviteOnceMore(user),
          },
        ]
      : []),
    {
      // With the version, the server does not delete a user who has accepted the invitation in the meantime.
      ...removing(() => withdraw(user.id, user.email, user.version)),
      label: t.invitations.withdraw,
    },
  ];
  return (
    <>
      <ListPage
        title={t.users.title}
        help={props.help}
        searchLabel={t.users.search}
        list={props.list}
        filters={props.filters}
        bulk={props.list === companyUsers ? { of: 'user', ids: userIds } : undefined}
        columns={props.columns}
        rowMenu={{
          name: userName,
          actions: (user) => [
            editing(dialogLink(props.edit, user.id)),
            ...extending(nearestEnd(user.politics) !== undefined, () => setExtended(user)),
            ...(user.invitation ? invitationOf(user) : changesOf(user)),
            ...suspensionOf(user),
            ...(isProtected(user) || user.invitation
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
      {extended && (
        <ExtendDialog
          name={userName(extended)}
          ends={extended.politics.flatMap(({ id, name, until }) =>
            until === null ? [] : [{ id, name, until, zone: ownZone }],
          )}
          save={(ends, signal) =>
            update.mutateAsync({
              params: { id: extended.id },
              body: { ends },
              version: extended.version,
              signal,
            })
          }
          onClose={() => setExtended(null)}
        />
      )}
      {links && <InvitationLinks made={links} onClose={() => setLinks(null)} />}
      {change && <ChangeRoleDialog {...change} onClose={() => setChange(null)} />}
    </>
  );
}

/** /dashboard/creator/users: the users of the owner's company. */
export function UsersPage() {
  const open = useOpen();
  return (
    <UserList
      list={companyUsers}
      filters={userFilters}
      help={t.users.help}
      columns={userColumns}
      add={
        <>
          <ImportButton to="/dashboard/creator/users/import" />
          <AddButton to="/dashboard/creator/users/new" variant="default" />
          <Button
            leftSection={<IconMail size={16} aria-hidden />}
            {...open('/dashboard/creator/users/invite')}
          >
            {t.invitations.open}
          </Button>
        </>
      }
      edit="/dashboard/creator/users/$id/edit"
    />
  );
}

/**
 * /dashboard/admin/users: the users of all companies. An ADMIN can add other ADMINs, but no users of a company: only an
 * owner adds those.
 */
export function AllUsersPage() {
  const open = useOpen();
  return (
    <UserList
      list={listUsers}
      filters={allUserFilters}
      help={t.users.allHelp}
      columns={allUserColumns}
      add={
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} {...open('/dashboard/admin/users/new')}>
          {t.roleChange.addAdmin}
        </Button>
      }
      edit="/dashboard/admin/users/$id/edit"
    />
  );
}
