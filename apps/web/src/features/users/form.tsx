import { Text, TextInput } from '@mantine/core';
import { type Named, storedEmail } from '@propusk/contract/fields';
import { type User } from '@propusk/contract/me';
import { listPolicies } from '@propusk/contract/policies';
import { companyUsers, getUser, listUsers, UserChange, updateUser } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { queryOptions } from '../../api/queries.ts';
import { EndsField, endsOfChosen } from '../../entities/policy/moment-fields.tsx';
import { ownZone } from '../../entities/policy/moments.ts';
import { PoliciesField } from '../../entities/policy/policies-field.tsx';
import { namedOptions } from '../../entities/use-options.ts';
import { rolesOf, useMe } from '../../entities/user/me.tsx';
import { userName } from '../../entities/user/names.ts';
import { ProofFields, proofWhen } from '../../entities/user/proof-fields.tsx';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { EmailField, PasswordField, TextField } from '../../forms/fields.tsx';
import { MultiSelectField } from '../../forms/select-fields.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { isProtected } from './role-changes.ts';
import { sayExtension } from './say-extension.ts';

/** Edits a user of the owner's company. */
export function EditUserDialog({ onClose }: { onClose: OnClose }) {
  return <UserDialog list={companyUsers} onClose={onClose} />;
}

/**
 * Edits a user of any company. An ADMIN's list of policies does not say which company a policy belongs to, so this
 * dialog offers only the policies that the user has. An ADMIN can remove them; only the owner can add others.
 */
export function EditAnyUserDialog({ onClose }: { onClose: OnClose }) {
  return <UserDialog list={listUsers} onlyHeld onClose={onClose} />;
}

/** The dialog with a user's fields and policies. An empty password field keeps the stored password. */
function UserDialog(props: {
  list: { path: string };
  /** Offers only the policies that the user has. */
  onlyHeld?: boolean;
  onClose: OnClose;
}) {
  const me = useMe();
  const admin = rolesOf(me).includes('ADMIN');
  // The email address of an owner or ADMIN receives links that set their password. Here only another ADMIN may change it.
  const emailStays = (stored: User) => isProtected(stored) && !(admin && stored.id !== me.id);
  return (
    <EditDialog
      title={t.users.edit}
      query={useEntity(getUser, props.list)}
      values={({ name, surname, email, politics }: User) => ({
        name,
        surname,
        email,
        password: undefined,
        politics: politics.map(({ id }) => id),
        ends: [],
        ...(admin && { currentPassword: undefined, code: undefined }),
      })}
      schema={(stored) =>
        admin ? UserChange.check(proofWhen<UserChange>(me, (body) => asksFor(stored, body))) : UserChange
      }
      // The user may have typed the current password for a change that was then undone: do not send it.
      normalise={(body, stored) => ({
        ...body,
        ends: endsOfChosen(body.ends, body.politics),
        ...(!asksFor(stored, body) && { email: stored.email, currentPassword: undefined, code: undefined }),
      })}
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
          {props.onlyHeld ? (
            <HeldPolicies control={control} held={stored.politics} />
          ) : (
            <PoliciesField control={control} held={stored.politics} />
          )}
          <UserEnds control={control} stored={stored} onlyHeld={props.onlyHeld === true} />
          {stored.extension && (
            <Text size="sm" c="dimmed">
              {sayExtension(stored.extension)}
            </Text>
          )}
          {admin && <Proof control={control} stored={stored} />}
        </>
      )}
    </EditDialog>
  );
}

type UserControl = Control<z.input<typeof UserChange>, unknown, UserChange>;

/** The ends of the user's memberships, in the time zones of their policies. */
function UserEnds(props: { control: UserControl; stored: User; onlyHeld: boolean }) {
  const { politics } = props.stored;
  const { data } = useQuery({ ...queryOptions(listPolicies, {}), enabled: !props.onlyHeld });
  const zones = new Map(data?.rows.map(({ id, timeZone }) => [id, timeZone]));
  return (
    <EndsField
      control={props.control}
      of="politics"
      options={namedOptions(data?.rows ?? politics)}
      members={politics}
      zoneOf={(id) => zones.get(id) ?? ownZone}
    />
  );
}

/** A select of the policies that the user had when the dialog opened or has got since. Shows nothing if there are none. */
function HeldPolicies({ control, held }: { control: UserControl; held: readonly Named[] }) {
  const [first] = useState(held);
  const options = namedOptions([...new Map([...first, ...held].map((one) => [one.id, one])).values()]);
  if (options.length === 0) return null;
  return (
    <MultiSelectField
      control={control}
      name="politics"
      label={t.users.policies}
      description={t.users.heldHint}
      placeholder={t.form.choose.policy}
      options={options}
    />
  );
}

/** Whether a change of a user needs the ADMIN's re-authentication, by the condition `proof` of the contract's `updateUser`. */
function asksFor(stored: User, { email, password }: Pick<UserChange, 'email' | 'password'>): boolean {
  return (email !== undefined && storedEmail(email) !== storedEmail(stored.email)) || Boolean(password);
}

/** The fields that re-authenticate an ADMIN, shown as soon as the form changes the user's email or password. */
function Proof({ control, stored }: { control: UserControl; stored: User }) {
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
