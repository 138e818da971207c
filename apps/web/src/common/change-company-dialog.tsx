import { type Company, CompanyChange, getCompany, updateCompany } from '@propusk/contract/companies';
import * as t from '@propusk/phrases/console';
import { EditDialog } from './edit-dialog.tsx';
import { TextField } from './fields.tsx';

/** Edits a company. An owner edits their own company, an ADMIN any company. */
export function ChangeCompanyDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  return (
    <EditDialog
      title={t.company.edit}
      entity={company}
      values={({ companyName, companySite }: Company) => ({ companyName, companySite })}
      schema={CompanyChange}
      read={getCompany}
      update={updateCompany}
      name={({ companyName }) => companyName}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="companyName" label={t.company.name} required autoFocus />
          <TextField control={control} name="companySite" label={t.company.site} inputMode="url" required />
        </>
      )}
    </EditDialog>
  );
}
