import { Stack } from '@mantine/core';
import { type Company, myCompany } from '@propusk/contract/companies';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { CompanyCell } from '../../common/company-cell.tsx';
import { dayColumns } from '../../common/day-columns.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { editing, RowMenu } from '../../ui/row-menu.tsx';
import { Failed } from '../../ui/state.tsx';
import { FactorCard } from './factor-card.tsx';

const ChangeCompanyDialog = lazyDialog(
  () => import('../../common/change-company-dialog.tsx'),
  'ChangeCompanyDialog',
);

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
export function CompanyPage() {
  const query = useQuery(queryOptions(myCompany, {}));
  const { data } = query;
  const [edited, setEdited] = useState<Company | null>(null);
  const rows = data ? [data] : query.error ? [] : undefined;
  return (
    <>
      <PageHeader title={t.company.title} help={t.company.help} />
      <Stack gap="xl" maw={800}>
        <DataTable
          label={t.company.title}
          columns={columns}
          rows={rows}
          rowMenu={(company) => (
            <RowMenu
              name={company.companyName}
              actions={[editing(ChangeCompanyDialog, () => setEdited(company))]}
            />
          )}
          rowOpen={(company) => () => setEdited(company)}
          skeletonRows={1}
          fallback={<Failed query={query} title={t.list.failed} />}
        />
        {data && <FactorCard company={data} />}
      </Stack>
      {edited && <ChangeCompanyDialog company={edited} onClose={() => setEdited(null)} />}
    </>
  );
}
