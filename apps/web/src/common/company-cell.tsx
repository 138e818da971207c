import type { Company } from '@propusk/contract/companies';
import { TwoLines } from '../ui/two-lines.tsx';

/** A table cell with a company's name and site. */
export function CompanyCell({ company }: { company: Pick<Company, 'companyName' | 'companySite'> }) {
  const { companyName, companySite } = company;
  // A company created without a name is named after its site.
  return <TwoLines first={companyName} second={companySite === companyName ? null : companySite} />;
}
