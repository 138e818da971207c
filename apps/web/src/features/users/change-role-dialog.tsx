import { Text } from '@mantine/core';
import { MaybeProof } from '@propusk/contract/fields';
import type { User } from '@propusk/contract/me';
import { addAdmin, changeRole, removeAdmin, suspendUser } from '@propusk/contract/role-changes';
import { resetSecondFactor } from '@propusk/contract/second-factor';
import { Moment } from '@propusk/contract/times';
import * as t from '@propusk/phrases/console';
import type { Control } from 'react-hook-form';
import * as z from 'zod/mini';
import { useCall } from '../../api/queries.ts';
import { InviteUserDialog } from '../../entities/user/invite-user-dialog.tsx';
import { rolesOf, useMe } from '../../entities/user/me.tsx';
import { userName } from '../../entities/user/names.ts';
import { noProof, ProofFields, proofShape } from '../../entities/user/proof-fields.tsx';
import { DayInput } from '../../forms/day-input.tsx';
import { useField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import type { RoleStep } from './role-changes.ts';

/** The values of the form. Only a suspension uses `until`. */
const Values = z.extend(MaybeProof, { until: z._default(Moment, '') });
type Values = z.output<typeof Values>;

/** Changes a user's role, suspends a user, or resets their second factor. Shows the consequences and re-authenticates the signed-in user. */
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
  const suspends = step === 'suspend' || step === 'resume';
  // The contract: `resetSecondFactor` demands the proof from an ADMIN, and `suspendUser` for an owner.
  const isOwner = rolesOf(user).includes('CREATOR');
  const proved = suspends ? isOwner : step !== 'resetFactor' || rolesOf(me).includes('ADMIN');
  const change = useCall(changeRole);
  const remove = useCall(removeAdmin);
  const reset = useCall(resetSecondFactor);
  const suspend = useCall(suspendUser);
  const texts = t.roleChange[step];
  const params = { id: user.id };

  async function submit({ until, ...given }: Values, signal: AbortSignal) {
    const proof = { currentPassword: '', ...given };
    if (suspends) {
      const body = { ...given, suspended: step === 'suspend', until };
      await suspend.mutateAsync({ params, body, signal });
    } else if (step === 'resetFactor') await reset.mutateAsync({ params, body: given, signal });
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
      schema={proved ? z.extend(Values, proofShape(me)) : Values}
      initial={{ until: '', ...(proved && noProof(me)) }}
      question={!proved || suspends}
      submit={submit}
      submitLabel={texts.action}
      danger={step !== 'makeOwner' && step !== 'resume'}
      onClose={onClose}
    >
      {(control) => (
        <>
          <Text fw={500}>
            {userName(user)}, {user.email}
          </Text>
          <Text size="sm">{texts.follows}</Text>
          {step === 'suspend' && <UntilField control={control} />}
          {proved && <ProofFields control={control} />}
        </>
      )}
    </FormDialog>
  );
}

/** The last day of a suspension; empty for a suspension without an end. */
function UntilField<O>({ control }: { control: Control<z.input<typeof Values>, unknown, O> }) {
  const { value, onChange } = useField({ control, name: 'until' });
  const texts = { label: t.users.suspendUntil, description: t.users.suspendUntilHint };
  return <DayInput {...texts} value={value} onOther={onChange} onDay={onChange} />;
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
