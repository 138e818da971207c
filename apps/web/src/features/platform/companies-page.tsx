import { Anchor, Box, Button, NativeSelect } from '@mantine/core';
import { type Company, confirmCompany, listCompanies } from '@propusk/contract/companies';
import { stuckMail } from '@propusk/contract/mail';
import * as t from '@propusk/phrases/console';
import {
  IconBuilding,
  IconBuildings,
  IconMailCheck,
  IconMailForward,
  IconUserPlus,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { queryOptions, useCall } from '../../api/queries.ts';
import { CompanyCell } from '../../common/company-cell.tsx';
import { dayColumns } from '../../common/day-columns.tsx';
import { ListPage } from '../../common/list-page.tsx';
import { type ListSearch, parseListSearch } from '../../common/list-search.ts';
import { paths } from '../../paths.ts';
import { AddButton } from '../../ui/add-button.tsx';
import { confirm } from '../../ui/confirm.ts';
import type { Column } from '../../ui/data-table.tsx';
import { formatMoment } from '../../ui/day.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { Notice } from '../../ui/notice.tsx';
import { editing, removing } from '../../ui/row-menu.tsx';
import { toastSuccess } from '../../ui/toast.ts';

const ChangeCompanyDialog = lazyDialog(
  () => import('../../common/change-company-dialog.tsx'),
  'ChangeCompanyDialog',
);
const dialogs = () => import('./company-dialogs.tsx');
const CreateCompanyDialog = lazyDialog(dialogs, 'CreateCompanyDialog');
const DeleteCompanyDialog = lazyDialog(dialogs, 'DeleteCompanyDialog');
const InviteOwnerDialog = lazyDialog(dialogs, 'InviteOwnerDialog');
const InviteCompanyDialog = lazyDialog(dialogs, 'InviteCompanyDialog');

const columns: readonly Column<Company>[] = [
  {
    key: 'companyName',
    title: t.company.name,
    main: true,
    lines: 2,
    render: (company) => <CompanyCell company={company} />,
    renderOpening: (company) => (
      <Anchor
        c="inherit"
        underline="hover"
        display="block"
        mih={32}
        style={{ alignContent: 'center' }}
        renderRoot={(props) => (
          <Link {...props} to={paths.adminCompany} params={{ id: String(company.id) }} />
        )}
      >
        <CompanyCell company={company} />
      </Anchor>
    ),
  },
  ...dayColumns<Company>(),
];

type Dialog =
  | { kind: 'create' | 'invite-company' }
  | { kind: 'edit' | 'invite' | 'delete'; company: Company }
  | null;

/** /dashboard/admin/companies: the list of all companies, for an ADMIN. */
export function CompaniesPage() {
  const [dialog, setDialog] = useState<Dialog>(null);
  const navigate = useNavigate();
  const { choice = '' } = parseListSearch(useSearch({ strict: false }));
  const onlyUnconfirmed = choice === 'unconfirmed';
  const choose = (next: string) =>
    void navigate({
      to: '.',
      search: (old: ListSearch) => parseListSearch({ ...old, choice: next, page: 1 }),
      replace: true,
    });
  const { mutateAsync } = useCall(confirmCompany);
  const close = () => setDialog(null);
  async function confirmMail({ id, companyName }: Company) {
    const confirmed = await confirm({
      text: t.companies.confirmQuestion(companyName),
      hint: t.companies.confirmHint,
      yes: t.companies.confirm,
      no: t.common.cancel,
      action: () => mutateAsync({ params: { id } }),
    });
    if (confirmed) toastSuccess(t.companies.confirmed, companyName);
  }
  const add = <AddButton opens={CreateCompanyDialog} onClick={() => setDialog({ kind: 'create' })} />;
  const invite = (
    <Button
      variant="default"
      leftSection={<IconMailForward size={16} aria-hidden />}
      onClick={() => setDialog({ kind: 'invite-company' })}
      {...InviteCompanyDialog.intent}
    >
      {t.companies.inviteCompany}
    </Button>
  );
  return (
    <>
      <ListPage
        title={t.companies.title}
        help={t.companies.help}
        above={
          <>
            <StuckMailBand />
            <NativeSelect
              maw={288}
              mb="md"
              aria-label={t.companies.filter}
              value={choice}
              data={Object.entries(t.companies.filters).map(([value, label]) => ({ value, label }))}
              onChange={({ currentTarget }) => choose(currentTarget.value)}
            />
          </>
        }
        filter={{ confirmed: onlyUnconfirmed ? 'false' : '' }}
        searchLabel={t.companies.search}
        list={listCompanies}
        columns={columns}
        rowMenu={{
          name: (company) => company.companyName,
          actions: (company) => [
            {
              label: t.companyPage.open,
              main: true,
              icon: <IconBuilding size={16} aria-hidden />,
              run: () => void navigate({ to: paths.adminCompany, params: { id: String(company.id) } }),
            },
            { ...editing(ChangeCompanyDialog, () => setDialog({ kind: 'edit', company })), main: false },
            {
              label: t.companies.invite,
              icon: <IconUserPlus size={16} aria-hidden />,
              opens: InviteOwnerDialog,
              run: () => setDialog({ kind: 'invite', company }),
            },
            ...(company.confirmed
              ? []
              : [
                  {
                    label: t.companies.confirm,
                    icon: <IconMailCheck size={16} aria-hidden />,
                    run: () => void confirmMail(company),
                  },
                ]),
            { ...removing(() => setDialog({ kind: 'delete', company })), opens: DeleteCompanyDialog },
          ],
        }}
        empty={{
          icon: <IconBuildings size={24} />,
          title: onlyUnconfirmed ? t.companies.allConfirmed : t.companies.empty,
          action: add,
        }}
        actions={
          <>
            <Button component={Link} to={paths.adminInvitations} variant="default">
              {t.companies.invitations}
            </Button>
            {invite}
            {add}
          </>
        }
      />
      {dialog?.kind === 'create' && <CreateCompanyDialog onClose={close} />}
      {dialog?.kind === 'invite-company' && <InviteCompanyDialog onClose={close} />}
      {dialog?.kind === 'invite' && <InviteOwnerDialog company={dialog.company} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteCompanyDialog company={dialog.company} onClose={close} />}
      {dialog?.kind === 'edit' && <ChangeCompanyDialog company={dialog.company} onClose={close} />}
    </>
  );
}

const LOOK_MS = 60_000;

/** Warns an ADMIN that the server cannot send its mail, and says what to check. Shows nothing while mail is sent. */
function StuckMailBand() {
  const { data } = useQuery({ ...queryOptions(stuckMail, {}), refetchInterval: LOOK_MS });
  if (!data || data.since === null) return null;
  const { count, since, failure } = data;
  return (
    <Box mb="md">
      <Notice kind="warning">
        <strong>{t.stuckMail.waiting(count, formatMoment(since))}</strong>{' '}
        {failure === null ? t.stuckMail.untried : t.stuckMail.failures[failure]} {t.stuckMail.advice}
      </Notice>
    </Box>
  );
}
