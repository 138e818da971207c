import { CompanyInput, createCompany } from '@propusk/contract/companies';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Adds a company without users. */
export function CreateCompanyDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createCompany);
  return (
    <FormDialog
      title={t.companies.create}
      schema={CompanyInput}
      initial={{ companySite: '', companyName: '' }}
      submit={async (body) => {
        const company = await create.mutateAsync({ body });
        toastSuccess(t.alerts.created, company.companyName);
      }}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField
            control={control}
            name="companySite"
            label={t.company.site}
            placeholder="company.ru"
            inputMode="url"
            required
            autoFocus
          />
          <TextField
            control={control}
            name="companyName"
            label={t.company.name}
            description={t.companies.nameHint}
          />
        </>
      )}
    </FormDialog>
  );
}
