import {
  type Company,
  CompanyChange,
  getCompany,
  listCompanies,
  updateCompany,
} from '@propusk/contract/companies';
import * as t from '@propusk/phrases/console';
import { useParams } from '@tanstack/react-router';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { TextField } from '../../forms/fields.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { useMe } from '../user/me.tsx';

/** Edits a company. An owner edits their own company, an ADMIN any company. */
export function ChangeCompanyDialog({ onClose }: { onClose: OnClose }) {
  const own = useMe().company?.id;
  const { id } = useParams({ strict: false });
  return (
    <EditDialog
      title={t.company.edit}
      query={useEntity(getCompany, listCompanies, id === undefined ? own : Number(id))}
      values={({ companyName, companySite }: Company) => ({ companyName, companySite })}
      schema={CompanyChange}
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
