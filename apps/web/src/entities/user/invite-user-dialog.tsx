import { Text } from '@mantine/core';
import { InvitedUser } from '@propusk/contract/role-changes';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { EmailField, TextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { useMe } from './me.tsx';
import { NoMail } from './no-mail.tsx';
import { noProof, ProofFields, proofShape } from './proof-fields.tsx';

/** Invites a user by mail. */
export function InviteUserDialog(props: {
  title: string;
  hint: string;
  submitLabel?: string;
  send: (body: z.output<typeof InvitedUser>, signal: AbortSignal) => Promise<{ email: string }>;
  onClose: () => void;
}) {
  const me = useMe();
  return (
    <FormDialog
      title={props.title}
      schema={z.extend(InvitedUser, proofShape(me))}
      initial={{ email: '', name: '', surname: '', ...noProof(me) }}
      submit={async (body, signal) =>
        toastSuccess(t.roleChange.invited, (await props.send(body, signal)).email)
      }
      submitLabel={props.submitLabel}
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <Text>{props.hint}</Text>
          <NoMail />
          <EmailField control={control} label={t.users.email} required autoFocus />
          <TextField control={control} name="name" label={t.users.name} />
          <TextField control={control} name="surname" label={t.users.surname} />
          <ProofFields control={control} />
        </>
      )}
    </FormDialog>
  );
}
