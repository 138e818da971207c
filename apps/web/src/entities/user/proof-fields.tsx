import { CurrentPassword, FactorCode, Proof } from '@propusk/contract/fields';
import { issue } from '@propusk/contract/issues';
import type { User } from '@propusk/contract/me';
import * as t from '@propusk/phrases/console';
import type { Control, FieldPath } from 'react-hook-form';
import * as z from 'zod/mini';
import { PasswordField, TextField } from '../../forms/fields.tsx';
import { useMe } from './me.tsx';

/** The current password in a form: an empty one would waste one of the ten attempts that the api allows. */
export const currentPassword = CurrentPassword.check(z.minLength(1));

/**
 * The part of a form that re-authenticates the signed-in user: the password, and a code when there is a second
 * factor.
 */
export const proofShape = ({ secondFactor }: Pick<User, 'secondFactor'>) => ({
  currentPassword,
  code: secondFactor ? FactorCode : Proof.shape.code,
});

/** The initial values of the re-authentication fields. */
export const noProof = ({ secondFactor }: Pick<User, 'secondFactor'>) => ({
  currentPassword: '',
  ...(secondFactor && { code: '' }),
});

/** A zod check for a form that needs the user's password and code only for some changes. */
export function proofWhen<Body extends ProofValues>(
  { secondFactor }: Pick<User, 'secondFactor'>,
  needed: (body: Body) => boolean,
) {
  return z.superRefine<Body>((body, context) => {
    if (!needed(body)) return;
    const missing = [
      ...(body.currentPassword === undefined ? ['currentPassword'] : []),
      ...(secondFactor && body.code === undefined ? ['code'] : []),
    ];
    for (const name of missing) context.addIssue({ code: 'custom', path: [name], ...issue('required') });
  });
}

interface ProofValues {
  currentPassword?: string | undefined;
  code?: string | undefined;
}

/** The fields that re-authenticate the signed-in user. With `blank`, an empty field gives undefined. */
export function ProofFields<V extends ProofValues, O>({
  control,
  blank,
}: {
  control: Control<V, unknown, O>;
  blank?: boolean;
}) {
  const me = useMe();
  return (
    <>
      {/* A hidden field that tells password managers which account the password belongs to. */}
      <input hidden readOnly type="email" autoComplete="username" value={me.email} />
      <PasswordField
        control={control}
        name={'currentPassword' as FieldPath<V>}
        label={t.roleChange.password}
        autoComplete="current-password"
        required
        blank={blank === true}
      />
      {me.secondFactor && (
        <TextField
          control={control}
          name={'code' as FieldPath<V>}
          label={t.factor.anyCode}
          autoComplete="one-time-code"
          required
          blank={blank === true}
        />
      )}
    </>
  );
}
