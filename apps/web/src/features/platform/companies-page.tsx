import { IconBuildings } from '@tabler/icons-react';
import { t } from '../../dictionary/dictionary.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { State } from '../../ui/state.tsx';

/** /dashboard/admin/companies: where an ADMIN lands until the platform's administration is here. */
export function CompaniesPage() {
  return (
    <>
      <PageHeader title={t.companies.title} />
      <State icon={<IconBuildings size={24} />} title={t.companies.soon} hint={t.companies.soonHint} />
    </>
  );
}
