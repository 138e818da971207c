import { Text, TextInput } from '@mantine/core';
import { type User } from '@propusk/contract/me';
import { getUser, UserChange, updateUser } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { type Control, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { EditDialog } from '../../common/edit-dialog.tsx';
import { EmailField, PasswordField, TextField } from '../../common/fields.tsx';
import { rolesOf, useMe } from '../../common/me.tsx';
import { userName } from '../../common/names.ts';
import { ProofFields, proofWhen } from '../../common/proof-fields.tsx';
import { MultiSelectField, type Option } from '../../common/select-fields.tsx';
import { namedOptions, usePolicyOptions } from '../../common/use-options.ts';
import { isProtected } from './role-changes.ts';

/** Edits a user of the owner's company. */
export function EditUserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const policies = usePolicyOptions(user.politics);
  return <UserDialog user={user} policies={() => policies} onClose={onClose} />;
}

/**
 * Edits a user of any company. An ADMIN reads the policies of all companies without their owners; only the user's
 * current policies surely belong to the user's company. So an ADMIN can remove policies here, and the owner adds
 * them.
 */
export function EditAnyUserDialog({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <UserDialog
      user={user}
      policies={(stored) => held(user, stored)}
      policiesHint={t.users.heldHint}
      onClose={onClose}
    />
  );
}

/** The user's policies when the dialog opened and now: neither may show as an id. */
function held(...states: User[]): Option[] {
  return namedOptions([
    ...new Map(states.flatMap(({ politics }) => politics).map((one) => [one.id, one])).values(),
  ]);
}

/** The user's fields and policies. An untouched password stays. */
function UserDialog(props: {
  user: User;
  /** The selectable policies, given the stored user. */
  policies: (stored: User) => readonly Option[];
  policiesHint?: string;
  onClose: () => void;
}) {
  const me = useMe();
  const admin = rolesOf(me).includes('ADMIN');
  // The email receives password links: only its holder may change it, or an ADMIN for another user.
  const emailStays = (stored: User) => isProtected(stored) && !(admin && stored.id !== me.id);
  return (
    <EditDialog
      title={t.users.edit}
      entity={props.user}
      values={({ name, surname, email, politics }: User) => ({
        name,
        surname,
        email,
        password: undefined,
        politics: politics.map(({ id }) => id),
        ...(admin && { currentPassword: undefined, code: undefined }),
      })}
      schema={(stored) =>
        admin ? UserChange.check(proofWhen<UserChange>(me, (body) => asksFor(stored, body))) : UserChange
      }
      // A password that was typed for a change since taken back is not sent.
      prepare={(body, stored) =>
        asksFor(stored, body) ? body : { ...body, currentPassword: undefined, code: undefined }
      }
      read={getUser}
      update={updateUser}
      name={userName}
      onClose={props.onClose}
    >
      {(control, stored) => (
        <>
          <TextField control={control} name="name" label={t.users.name} autoFocus />
          <TextField control={control} name="surname" label={t.users.surname} />
          {emailStays(stored) ? (
            <TextInput
              label={t.users.email}
              description={t.users.ownEmailHint}
              value={stored.email}
              disabled
            />
          ) : (
            <EmailField control={control} label={t.users.email} required />
          )}
          {!isProtected(stored) && (
            <PasswordField
              control={control}
              name="password"
              label={t.users.newPassword}
              description={t.users.newPasswordHint}
              autoComplete="new-password"
              blank
            />
          )}
          {(props.policiesHint === undefined || props.policies(stored).length > 0) && (
            <MultiSelectField
              control={control}
              name="politics"
              label={t.users.policies}
              description={props.policiesHint}
              placeholder={t.form.choose.policy}
              options={props.policies(stored)}
            />
          )}
          {admin && <Proof control={control} stored={stored} />}
        </>
      )}
    </EditDialog>
  );
}

/** Whether an ADMIN needs to prove the change: the contract's `proof` of `updateUser`. */
function asksFor(stored: User, { email, password }: Pick<UserChange, 'email' | 'password'>): boolean {
  return (email !== undefined && email !== stored.email) || Boolean(password);
}

/** Asks an ADMIN for the own password as soon as the form changes the user's email or password. */
function Proof({
  control,
  stored,
}: {
  control: Control<z.input<typeof UserChange>, unknown, UserChange>;
  stored: User;
}) {
  const [email, password] = useWatch({ control, name: ['email', 'password'] });
  if (!asksFor(stored, { email, password })) return null;
  return (
    <>
      <Text size="sm" c="dimmed">
        {t.users.proofHint}
      </Text>
      <ProofFields control={control} blank />
    </>
  );
}
