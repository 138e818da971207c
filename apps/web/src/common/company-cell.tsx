import type { Company } from '@propusk/contract/companies';
import * as t from '@propusk/phrases/console';
import { Tag } from '../ui/tags.tsx';
import { TwoLines } from '../ui/two-lines.tsx';

/** A table cell with a company's name and site, and a mark until its owner has confirmed the email address. */
export function CompanyCell(props: {
  company: Pick<Company, 'companyName' | 'companySite'> & Partial<Pick<Company, 'confirmed'>>;
}) {
  const { companyName, companySite, confirmed = true } = props.company;
  const first = confirmed ? (
    companyName
  ) : (
    <>
      {companyName} <Tag>{t.companies.unconfirmed}</Tag>
    </>
  );
  // A company created without a name is named after its site.
  return <TwoLines first={first} second={companySite === companyName ? null : companySite} />;
}
