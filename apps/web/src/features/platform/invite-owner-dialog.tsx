import { Text } from '@mantine/core';
import type { Company } from '@propusk/contract/companies';
import { inviteOwner, OwnerInput } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Invites an owner into a company, by mail. */
export function InviteOwnerDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const invite = useCall(inviteOwner);
  return (
    <FormDialog
      title={t.companies.invite}
      schema={OwnerInput}
      initial={{ email: '', name: '', surname: '' }}
      submit={async (body) => {
        const owner = await invite.mutateAsync({ params: { id: company.id }, body });
        toastSuccess(t.companies.invited, owner.email);
      }}
      onClose={onClose}
    >
      {(control) => (
        <>
          <Text size="sm" c="dimmed">
            {t.companies.inviteHint(company.companyName)}
          </Text>
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
        </>
      )}
    </FormDialog>
  );
}
