import { companyUsers, createUser, UserInput } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { EmailField, PasswordField, TextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { PoliciesField } from '../policy/policies-field.tsx';
import { useAddOption } from '../use-options.ts';
import { userName } from './names.ts';

/** Adds a user to the company. The text `typed` into a select fills the email field, or without an `@` the name. */
export function CreateUserDialog(props: {
  typed?: string;
  onCreated?: (id: number) => void;
  onClose: () => void;
}) {
  const { typed = '' } = props;
  const isEmail = typed.includes('@');
  const create = useCall(createUser);
  const addOption = useAddOption(companyUsers);
  return (
    <FormDialog
      title={t.users.create}
      schema={UserInput}
      initial={{
        name: isEmail ? '' : typed,
        surname: '',
        email: isEmail ? typed : '',
        password: '',
        politics: [],
      }}
      submit={async (body, signal) => {
        const user = await create.mutateAsync({ body, signal });
        toastSuccess(t.alerts.created, userName(user));
        addOption(user);
        props.onCreated?.(user.id);
      }}
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="name" label={t.users.name} autoFocus />
          <TextField control={control} name="surname" label={t.users.surname} />
          <EmailField control={control} label={t.users.email} required />
          <PasswordField
            control={control}
            name="password"
            label={t.users.password}
            autoComplete="new-password"
            required
          />
          <PoliciesField control={control} />
        </>
      )}
    </FormDialog>
  );
}
