import { FactorCode } from '@propusk/contract/fields';
import type { User } from '@propusk/contract/me';
import { Proof } from '@propusk/contract/role-changes';
import * as t from '@propusk/phrases/console';
import type { Control, FieldPath } from 'react-hook-form';
import * as z from 'zod/mini';
import { PasswordField, TextField } from '../../common/fields.tsx';
import { useMe } from '../../common/me.tsx';

// An empty password would waste one of ten attempts.
const currentPassword = Proof.shape.currentPassword.check(z.minLength(1));

/**
 * The part of a form that re-authenticates the signed-in user: the password, and a code when there is a second
 * factor.
 */
export const proofShape = ({ secondFactor }: Pick<User, 'secondFactor'>) => ({
  currentPassword,
  code: secondFactor ? FactorCode : Proof.shape.code,
});

/** Its initial values. */
export const noProof = ({ secondFactor }: Pick<User, 'secondFactor'>) => ({
  currentPassword: '',
  ...(secondFactor && { code: '' }),
});

interface ProofValues {
  currentPassword: string;
  code?: string | undefined;
}

/** Its fields. */
export function ProofFields<V extends ProofValues, O>({ control }: { control: Control<V, unknown, O> }) {
  const me = useMe();
  return (
    <>
      {/* Names the account to a password manager. */}
      <input hidden readOnly type="email" autoComplete="username" value={me.email} />
      <PasswordField
        control={control}
        name={'currentPassword' as FieldPath<V>}
        label={t.roleChange.password}
        autoComplete="current-password"
        required
      />
      {me.secondFactor && (
        <TextField
          control={control}
          name={'code' as FieldPath<V>}
          label={t.factor.anyCode}
          autoComplete="one-time-code"
          required
        />
      )}
    </>
  );
}
