import { Text } from '@mantine/core';
import { MaybeProof, Proof } from '@propusk/contract/fields';
import type { User } from '@propusk/contract/me';
import { addAdmin, changeRole, removeAdmin } from '@propusk/contract/role-changes';
import { resetSecondFactor } from '@propusk/contract/second-factor';
import * as t from '@propusk/phrases/console';
import * as z from 'zod/mini';
import { useCall } from '../../api/queries.ts';
import { InviteUserDialog } from '../../entities/user/invite-user-dialog.tsx';
import { rolesOf, useMe } from '../../entities/user/me.tsx';
import { userName } from '../../entities/user/names.ts';
import { noProof, ProofFields, proofShape } from '../../entities/user/proof-fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import type { RoleStep } from './role-changes.ts';

/** Changes a user's role or resets their second factor. Shows the consequences and re-authenticates the signed-in user. */
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
  // The contract's `proof` of `resetSecondFactor`: only an ADMIN must re-authenticate, an owner need not.
  const proved = step !== 'resetFactor' || rolesOf(me).includes('ADMIN');
  const change = useCall(changeRole);
  const remove = useCall(removeAdmin);
  const reset = useCall(resetSecondFactor);
  const texts = t.roleChange[step];
  const params = { id: user.id };

  async function submit(given: z.output<typeof MaybeProof>, signal: AbortSignal) {
    const proof = { currentPassword: '', ...given };
    if (step === 'resetFactor') await reset.mutateAsync({ params, body: given, signal });
    else if (step === 'dropAdmin') await remove.mutateAsync({ params, body: proof, signal });
    else {
      const role = step === 'makeOwner' ? 'CREATOR' : 'USER';
      await change.mutateAsync({ params, body: { ...proof, role }, signal });
    }
    toastSuccess(texts.done, userName(user));
  }

  return (
    <FormDialog
      title={texts.action}
      schema={proved ? z.extend(Proof, proofShape(me)) : MaybeProof}
      initial={proved ? noProof(me) : {}}
      question={!proved}
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
          {proved && <ProofFields control={control} />}
        </>
      )}
    </FormDialog>
  );
}

/** Invites another admin of the platform. */
export function AddAdminDialog({ onClose }: { onClose: () => void }) {
  const add = useCall(addAdmin);
  return (
    <InviteUserDialog
      title={t.roleChange.addAdmin}
      hint={t.roleChange.addAdminFollows}
      submitLabel={t.roleChange.invite}
      send={(body, signal) => add.mutateAsync({ body, signal })}
      onClose={onClose}
    />
  );
}
