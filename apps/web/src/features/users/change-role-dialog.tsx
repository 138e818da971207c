import { Text } from '@mantine/core';
import { Proof } from '@propusk/contract/fields';
import type { User } from '@propusk/contract/me';
import { changeRole, removeAdmin } from '@propusk/contract/role-changes';
import { resetSecondFactor } from '@propusk/contract/second-factor';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { useMe } from '../../common/me.tsx';
import { userName } from '../../common/names.ts';
import { noProof, ProofFields, proofShape } from '../../common/proof-fields.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import type { RoleStep } from './role-changes.ts';

/** Changes a user's role or resets their second factor. Shows the consequences first and asks for the signed-in user's password and code. */
export function ChangeRoleDialog({
  user,
  step,
  onClose,
}: {
  user: User;
  step: RoleStep;
  onClose: () => void;
}) {
  const me = useMe();
  const change = useCall(changeRole);
  const remove = useCall(removeAdmin);
  const reset = useCall(resetSecondFactor);
  const texts = t.roleChange[step];
  const params = { id: user.id };

  async function submit(proof: z.output<typeof Proof>) {
    if (step === 'resetFactor') await reset.mutateAsync({ params, body: proof });
    else if (step === 'dropAdmin') await remove.mutateAsync({ params, body: proof });
    else {
      const role = step === 'makeOwner' ? 'CREATOR' : 'USER';
      await change.mutateAsync({ params, body: { ...proof, role } });
    }
    toastSuccess(texts.done, userName(user));
  }

  return (
    <FormDialog
      title={texts.action}
      schema={z.extend(Proof, proofShape(me))}
      initial={noProof(me)}
      submit={submit}
      submitLabel={texts.action}
      danger={step !== 'makeOwner'}
      onClose={onClose}
    >
      {(control) => (
        <>
          <Text fw={500}>
            {userName(user)}, {user.email}
          </Text>
          <Text size="sm">{texts.follows}</Text>
          <ProofFields control={control} />
        </>
      )}
    </FormDialog>
  );
}
