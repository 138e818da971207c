import { Button, Stack } from '@mantine/core';
import { type Company, myCompany } from '@propusk/contract/companies';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { queryOptions } from '../../api/queries.ts';
import { dialogLink } from '../../dialog-route.tsx';
import { CompanyCell } from '../../entities/company/company-cell.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { editing, RowMenu } from '../../lists/row-menu.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DefinitionCard } from '../../ui/definition-card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Failed } from '../../ui/state.tsx';
import { FactorCard } from './factor-card.tsx';

const edit = dialogLink('/dashboard/creator/company/edit');

const columns: readonly Column<Company>[] = [
  {
    key: 'companyName',
    title: t.company.name,
    main: true,
    lines: 2,
    render: (company) => <CompanyCell company={company} />,
  },
  ...dayColumns<Company>(),
];

/** /dashboard/creator/company: the owner's company and its requirement of a second factor. */
export function OwnCompanyPage() {
  const query = useQuery(queryOptions(myCompany, {}));
  const { data } = query;
  const navigate = useNavigate();
  const rows = data ? [data] : query.error ? [] : undefined;
  return (
    <>
      <PageHeader title={t.company.title} help={t.company.help} />
      <Stack gap="xl" maw={800}>
        <DataTable
          label={t.company.title}
          columns={columns}
          rows={rows}
          rowMenu={(company) => <RowMenu name={company.companyName} actions={[editing(edit)]} />}
          rowOpen={() => () => void navigate(edit)}
          skeletonRows={1}
          fallback={<Failed query={query} title={t.list.failed} />}
        />
        {data && <FactorCard company={data} />}
        {data && (
          <DefinitionCard
            rows={[
              {
                term: t.company.extension,
                value: t.company.extensions(data.extensions, data.users.length),
                tools: (
                  <Button component={Link} to="/dashboard/creator/rollout" variant="subtle" size="compact-sm">
                    {t.company.rollout}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Stack>
      <Outlet />
    </>
  );
}
