import { createUser, UserInput } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { userName } from '../../common/names.ts';
import { MultiSelectField } from '../../common/select-fields.tsx';
import { usePolicyCreate } from '../../common/use-inline-create.ts';
import { usePolicyOptions } from '../../common/use-options.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Adds a user to the company. */
export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const create = useCall(createUser);
  const policies = usePolicyOptions([]);
  const createPolicy = usePolicyCreate();
  return (
    <FormDialog
      title={t.users.create}
      schema={UserInput}
      initial={{ name: '', surname: '', email: '', password: '', politics: [] }}
      submit={async (body) => {
        const user = await create.mutateAsync({ body });
        toastSuccess(t.alerts.created, userName(user));
      }}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="name" label={t.users.name} autoFocus />
          <TextField control={control} name="surname" label={t.users.surname} />
          <TextField
            control={control}
            name="email"
            type="email"
            label={t.users.email}
            placeholder="name@company.ru"
            required
          />
          <PasswordField
            control={control}
            name="password"
            label={t.users.password}
            autoComplete="new-password"
            required
          />
          <MultiSelectField
            control={control}
            name="politics"
            label={t.users.policies}
            options={policies}
            create={createPolicy}
          />
        </>
      )}
    </FormDialog>
  );
}
