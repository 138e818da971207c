import { Button } from '@mantine/core';
import { type Company, myCompany } from '@propusk/contract/companies';
import { IconCloudOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import { AccessCard } from '../../common/access-card.tsx';
import { dayColumns } from '../../common/day-columns.tsx';
import { t } from '../../dictionary/dictionary.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { State } from '../../ui/state.tsx';
import classes from './company-page.module.css';

const columns: readonly Column<Company>[] = [
  { key: 'companyName', title: t.company.name, main: true, render: (company) => company.companyName },
  { key: 'companySite', title: t.company.site, render: (company) => company.companySite },
  ...dayColumns<Company>(),
];

/** /dashboard/creator/company: the own company, and how its owner connects. */
export function CompanyPage() {
  const { data, error, isFetching, refetch } = useQuery(queryOptions(myCompany, {}));
  const rows = data ? [data] : error ? [] : undefined;
  return (
    <>
      <PageHeader title={t.company.title} help={t.company.help} />
      <DataTable
        label={t.company.title}
        columns={columns}
        rows={rows}
        skeletonRows={1}
        fallback={
          <State
            alert
            icon={<IconCloudOff size={24} />}
            title={t.list.failed}
            hint={error?.message}
            action={
              <Button variant="default" loading={isFetching} onClick={() => refetch()}>
                {t.common.retry}
              </Button>
            }
          />
        }
      />
      <div className={classes.access}>
        <AccessCard />
      </div>
    </>
  );
}
