import { Button } from '@mantine/core';
import { type ListedInvitation, listInvitations, withdrawInvitation } from '@propusk/contract/registration';
import * as t from '@propusk/phrases/console';
import { IconMailForward, IconMailOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useOpen } from '../../dialog-route.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { useRemove } from '../../lists/use-remove.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Day } from '../../ui/day.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { Tag } from '../../ui/tags.tsx';

const InviteCompanyDialog = lazyDialog(() => import('./form.tsx'), 'InviteCompanyDialog');
const text = t.companyInvitations;

const columns: readonly Column<ListedInvitation>[] = [
  { key: 'email', title: t.users.email, main: true, render: ({ email }) => email },
  { key: 'madeBy', title: text.madeBy, render: ({ madeBy }) => madeBy },
  {
    key: 'state',
    title: text.state,
    render: ({ state }) => <Tag tone={state === 'waiting' ? 'accent' : 'neutral'}>{text.states[state]}</Tag>,
  },
  { key: 'createdAt', title: text.made, short: true, render: ({ createdAt }) => <Day iso={createdAt} /> },
  { key: 'expiresAt', title: text.until, short: true, render: ({ expiresAt }) => <Day iso={expiresAt} /> },
];

/** /dashboard/admin/invitations: the invitations to register a company, the newest first. */
export function InvitationsPage() {
  const [invited, setInvited] = useState<string | null>(null);
  const open = useOpen();
  const withdraw = useRemove(
    withdrawInvitation,
    text.withdrawQuestion,
    { says: text.withdrawHint },
    text.withdrawn,
  );
  function actions({ id, email, state }: ListedInvitation) {
    const invite = {
      label: text.again,
      icon: <IconMailForward size={16} aria-hidden />,
      opens: InviteCompanyDialog,
      run: () => setInvited(email),
    };
    const end = {
      label: text.withdraw,
      icon: <IconMailOff size={16} aria-hidden />,
      run: () => void withdraw(id, email),
    };
    if (state === 'used') return [];
    return state === 'waiting' ? [invite, end] : [invite];
  }
  return (
    <>
      <ListPage
        title={text.title}
        help={text.help}
        searchLabel={text.search}
        list={listInvitations}
        filter={{ order: 'DESC' }}
        columns={columns}
        rowMenu={{ name: ({ email }) => email, actions }}
        empty={{ icon: <IconMailForward size={24} />, title: text.empty }}
        actions={
          <>
            <Button component={Link} to="/dashboard/admin/companies" variant="default">
              {t.companies.title}
            </Button>
            <Button {...open('/dashboard/admin/invitations/new')}>{t.companies.inviteCompany}</Button>
          </>
        }
      />
      {invited !== null && <InviteCompanyDialog email={invited} onClose={() => setInvited(null)} />}
    </>
  );
}
