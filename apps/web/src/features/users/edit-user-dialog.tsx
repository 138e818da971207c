import { type User, UserChange, updateUser } from '@propusk/contract/users';
import { useCall } from '../../api/queries.ts';
import { changes } from '../../common/changes.ts';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { userName } from '../../common/names.ts';
import { MultiSelectField } from '../../common/select-fields.tsx';
import { usePolicyOptions } from '../../common/use-options.ts';
import { t } from '../../dictionary/dictionary.ts';
import { toastSuccess } from '../../ui/toast.ts';

/** Changes a person, and the policies that hold them. An untouched password stays what it is. */
export function EditUserDialog(props: { user: User; withPassword: boolean; onClose: () => void }) {
  const { user } = props;
  const update = useCall(updateUser);
  const policies = usePolicyOptions(user.politics);
  const initial = {
    name: user.name,
    surname: user.surname,
    email: user.email,
    password: undefined,
    politics: user.politics.map(({ id }) => id),
  };
  return (
    <FormDialog
      title={t.users.edit}
      schema={UserChange}
      initial={initial}
      submit={async (body) => {
        const changed = await update.mutateAsync({ params: { id: user.id }, body: changes(initial, body) });
        toastSuccess(t.alerts.updated, userName(changed));
      }}
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="name" label={t.users.name} autoFocus />
          <TextField control={control} name="surname" label={t.users.surname} />
          <TextField control={control} name="email" type="email" label={t.users.email} required />
          {props.withPassword && (
            <PasswordField
              control={control}
              name="password"
              label={t.users.newPassword}
              description={t.users.newPasswordHint}
              autoComplete="new-password"
              blank
            />
          )}
          <MultiSelectField control={control} name="politics" label={t.users.policies} options={policies} />
        </>
      )}
    </FormDialog>
  );
}
