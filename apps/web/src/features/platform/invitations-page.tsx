import { Button } from '@mantine/core';
import { type ListedInvitation, listInvitations, withdrawInvitation } from '@propusk/contract/registration';
import * as t from '@propusk/phrases/console';
import { IconMailForward, IconMailOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { ListPage } from '../../common/list-page.tsx';
import { paths } from '../../paths.ts';
import { confirm } from '../../ui/confirm.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Day } from '../../ui/day.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { Tag } from '../../ui/tags.tsx';
import { toastSuccess } from '../../ui/toast.ts';

const InviteCompanyDialog = lazyDialog(() => import('./company-dialogs.tsx'), 'InviteCompanyDialog');
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
  const [again, setAgain] = useState<string | null>(null);
  const { mutateAsync } = useCall(withdrawInvitation);
  async function withdraw({ id, email }: ListedInvitation) {
    const isWithdrawn = await confirm({
      text: text.withdrawQuestion,
      hint: `${email}. ${text.withdrawHint}`,
      yes: text.withdraw,
      no: t.common.cancel,
      danger: true,
      action: () => mutateAsync({ params: { id } }),
    });
    if (isWithdrawn) toastSuccess(text.withdrawn, email);
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
        rowMenu={{
          name: ({ email }) => email,
          actions: (row) =>
            row.state === 'used'
              ? []
              : [
                  {
                    label: text.again,
                    icon: <IconMailForward size={16} aria-hidden />,
                    opens: InviteCompanyDialog,
                    run: () => setAgain(row.email),
                  },
                  ...(row.state === 'waiting'
                    ? [
                        {
                          label: text.withdraw,
                          icon: <IconMailOff size={16} aria-hidden />,
                          run: () => void withdraw(row),
                        },
                      ]
                    : []),
                ],
        }}
        empty={{ icon: <IconMailForward size={24} />, title: text.empty }}
        actions={
          <Button component={Link} to={paths.adminCompanies} variant="default">
            {t.companies.title}
          </Button>
        }
      />
      {again !== null && <InviteCompanyDialog email={again} onClose={() => setAgain(null)} />}
    </>
  );
}
