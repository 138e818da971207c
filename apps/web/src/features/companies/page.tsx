import { Anchor, Box, Button } from '@mantine/core';
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
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { queryOptions, useCall } from '../../api/queries.ts';
import { dialogLink, useOpen } from '../../dialog-route.tsx';
import { CompanyCell } from '../../entities/company/company-cell.tsx';
import { AddButton } from '../../lists/add-button.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { editing, removing } from '../../lists/row-menu.tsx';
import { confirm } from '../../ui/confirm.ts';
import type { Column } from '../../ui/data-table.tsx';
import { formatMoment } from '../../ui/day.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { Notice } from '../../ui/notice.tsx';

const DeleteCompanyDialog = lazyDialog(() => import('./form.tsx'), 'DeleteCompanyDialog');
const at = '/dashboard/admin/companies';

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
          <Link {...props} to="/dashboard/admin/companies/$id" params={{ id: String(company.id) }} />
        )}
      >
        <CompanyCell company={company} />
      </Anchor>
    ),
  },
  ...dayColumns<Company>(),
];

/** /dashboard/admin/companies: the list of all companies, for an ADMIN. */
export function CompaniesPage() {
  const [deleted, setDeleted] = useState<Company | null>(null);
  const open = useOpen();
  const { mutateAsync } = useCall(confirmCompany);
  const confirmMail = ({ id, companyName }: Company) =>
    confirm({
      text: t.companies.confirmQuestion(companyName),
      hint: t.companies.confirmHint,
      yes: t.companies.confirm,
      action: () => mutateAsync({ params: { id } }),
      done: [t.companies.confirmed, companyName],
    });
  const add = <AddButton to={`${at}/new`} />;
  const invite = (
    <Button
      variant="default"
      leftSection={<IconMailForward size={16} aria-hidden />}
      {...open(`${at}/invite`)}
    >
      {t.companies.inviteCompany}
    </Button>
  );
  return (
    <>
      <ListPage
        title={t.companies.title}
        help={t.companies.help}
        above={<StuckMailBand />}
        filters={{ confirmed: { false: t.companies.isUnconfirmed } }}
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
              link: { to: '/dashboard/admin/companies/$id', params: { id: String(company.id) } },
            },
            { ...editing(dialogLink(`${at}/$id/edit`, company.id)), main: false },
            {
              label: t.companies.invite,
              icon: <IconUserPlus size={16} aria-hidden />,
              link: dialogLink(`${at}/$id/invite`, company.id),
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
            { ...removing(() => setDeleted(company)), opens: DeleteCompanyDialog },
          ],
        }}
        empty={{
          icon: <IconBuildings size={24} />,
          title: t.companies.empty,
          action: add,
        }}
        actions={
          <>
            <Button component={Link} to="/dashboard/admin/invitations" variant="default">
              {t.companies.invitations}
            </Button>
            {invite}
            {add}
          </>
        }
      />
      {deleted && <DeleteCompanyDialog company={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

const LOOK_MS = 60_000;

/** Warns an ADMIN that the server cannot send its mail, and says what to check. Shows nothing when mail is delivered. */
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
