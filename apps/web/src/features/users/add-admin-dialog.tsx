import { Text } from '@mantine/core';
import { addAdmin } from '@propusk/contract/role-changes';
import { InvitedUser } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { useCall } from '../../api/queries.ts';
import { TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { useMe } from '../../common/me.tsx';
import { noProof, ProofFields, proofShape } from '../../common/proof-fields.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Invites another admin of the platform, by mail. */
export function AddAdminDialog({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const add = useCall(addAdmin);
  return (
    <FormDialog
      title={t.roleChange.addAdmin}
      schema={z.extend(InvitedUser, proofShape(me))}
      initial={{ email: '', name: '', surname: '', ...noProof(me) }}
      submit={async (body) => {
        const admin = await add.mutateAsync({ body });
        toastSuccess(t.roleChange.invited, admin.email);
      }}
      submitLabel={t.roleChange.invite}
      onClose={onClose}
    >
      {(control) => (
        <>
          <Text size="sm">{t.roleChange.addAdminFollows}</Text>
          <TextField
            control={control}
            name="email"
            type="email"
            label={t.users.email}
            placeholder="name@company.ru"
            required
            autoFocus
          />
          <TextField control={control} name="name" label={t.users.name} />
          <TextField control={control} name="surname" label={t.users.surname} />
          <ProofFields control={control} />
        </>
      )}
    </FormDialog>
  );
}
