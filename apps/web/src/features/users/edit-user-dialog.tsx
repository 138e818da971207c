import { Text, TextInput } from '@mantine/core';
import { storedEmail } from '@propusk/contract/fields';
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
 * Edits a user of any company. An ADMIN's list of policies does not say which company a policy belongs to, so this
 * dialog offers only the policies that the user has. An ADMIN can remove them; only the owner can add others.
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

/** The user's policies when the dialog opened and as last read, so that the select shows names for all of them. */
function held(...states: User[]): Option[] {
  return namedOptions([
    ...new Map(states.flatMap(({ politics }) => politics).map((one) => [one.id, one])).values(),
  ]);
}

/** The dialog with a user's fields and policies. An empty password field keeps the stored password. */
function UserDialog(props: {
  user: User;
  /** The selectable policies, given the stored user. */
  policies: (stored: User) => readonly Option[];
  policiesHint?: string;
  onClose: () => void;
}) {
  const me = useMe();
  const admin = rolesOf(me).includes('ADMIN');
  // Links that set a password go to an owner's or ADMIN's email, so only its holder or another ADMIN may change it.
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
      // The user may have typed the current password for a change that was then undone: do not send it.
      prepare={(body, stored) =>
        asksFor(stored, body)
          ? body
          : { ...body, email: stored.email, currentPassword: undefined, code: undefined }
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

/** Whether an ADMIN must re-authenticate for a change of a user: the contract's `proof` of `updateUser`. */
function asksFor(stored: User, { email, password }: Pick<UserChange, 'email' | 'password'>): boolean {
  return (email !== undefined && storedEmail(email) !== storedEmail(stored.email)) || Boolean(password);
}

/** The fields that re-authenticate an ADMIN, shown as soon as the form changes the user's email or password. */
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
