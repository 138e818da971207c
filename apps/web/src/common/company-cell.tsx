import type { Company } from '@propusk/contract/companies';
import { TwoLines } from '../ui/two-lines.tsx';

/** A company in a table: its name, and its site below. */
export function CompanyCell({ company }: { company: Pick<Company, 'companyName' | 'companySite'> }) {
  const { companyName, companySite } = company;
  // A company that was made of its site alone is named after it.
  return <TwoLines first={companyName} second={companySite === companyName ? null : companySite} />;
}
