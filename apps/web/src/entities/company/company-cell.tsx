import type { Company } from '@propusk/contract/companies';
import * as t from '@propusk/phrases/console';
import { Tag } from '../../ui/tags.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';

/** A table cell with a company's name and site. Marks a company whose owner has not confirmed the email address yet. */
export function CompanyCell(props: {
  company: Pick<Company, 'companyName' | 'companySite'> &
    Partial<Pick<Company, 'confirmed' | 'createdAt' | 'users'>>;
}) {
  const { companyName, companySite, confirmed = true, createdAt, users } = props.company;
  // The user with the lowest id registered the company.
  const owner = users?.[0];
  const waits =
    !confirmed && owner && createdAt ? t.companies.waits(daysSince(createdAt), owner.email) : null;
  const first = confirmed ? (
    companyName
  ) : (
    <>
      {companyName} <Tag>{t.companies.unconfirmed}</Tag>
    </>
  );
  // A company created without a name is named after its site.
  const site = companySite === companyName ? null : companySite;
  return <TwoLines first={first} second={[site, waits].filter(Boolean).join(' · ')} />;
}

function daysSince(iso: string): number {
  return Math.floor((Date.now() - Date.parse(iso)) / 86_400_000);
}
