import { Text, Textarea } from '@mantine/core';
import { InvitationsInput, inviteUsers, type MadeInvitations } from '@propusk/contract/invitations';
import { limits } from '@propusk/contract/limits';
import { listPolicies } from '@propusk/contract/policies';
import { Moment } from '@propusk/contract/times';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import * as z from 'zod/mini';
import { queryOptions, useCall } from '../../api/queries.ts';
import { MomentField } from '../../entities/policy/moment-fields.tsx';
import { ownZone } from '../../entities/policy/moments.ts';
import { PoliciesField } from '../../entities/policy/policies-field.tsx';
import { InvitationLinks } from '../../entities/user/invitation-links.tsx';
import { DialogSequence, type OnClose } from '../../forms/dialog.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { readAddresses } from './read-addresses.ts';

const Invitation = z.extend(InvitationsInput, { until: Moment });

/** Invites agents by mail. Where the server sends no mail, the same modal shows the links for the owner to pass on. */
export function InviteAgentsDialog({ onClose }: { onClose: OnClose }) {
  const [made, setMade] = useState<MadeInvitations | null>(null);
  const policies = useQuery(queryOptions(listPolicies, {}));
  const [only, ...more] = policies.data?.rows ?? [];
  // The modal opens together with the form, which gets the focus.
  if (policies.isPending) return null;
  const politics = only && more.length === 0 ? [only.id] : [];
  return (
    <DialogSequence>
      {made ? (
        <InvitationLinks made={made} onClose={onClose} />
      ) : (
        <InvitationForm politics={politics} onLinks={setMade} onClose={onClose} />
      )}
    </DialogSequence>
  );
}

function InvitationForm(props: {
  /** The preselected policies: the company's only one. */
  politics: number[];
  onLinks: (made: MadeInvitations) => void;
  onClose: OnClose;
}) {
  const invite = useCall(inviteUsers);
  return (
    <FormDialog
      title={t.invitations.title}
      schema={Invitation}
      initial={{ emails: [], politics: props.politics, until: '' }}
      submit={async ({ until, ...invited }, signal) => {
        const ends = until && { ends: invited.politics.map((id) => ({ id, until })) };
        const body = { ...invited, ...ends };
        const reply = await invite.mutateAsync({ body, signal });
        if (reply.mailed) return toastSuccess(t.invitations.sent(reply.invitations.length));
        props.onLinks(reply);
        return 'stay';
      }}
      submitLabel={t.invitations.send}
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <Text size="sm" c="dimmed">
            {t.invitations.hint(limits.invitationDays)}
          </Text>
          <AddressesField control={control} />
          <PoliciesField control={control} />
          <MomentField
            {...{ control, name: 'until', zone: ownZone }}
            {...{ label: t.times.until, description: t.times.invitedHint }}
          />
        </>
      )}
    </FormDialog>
  );
}

type InvitationControl = Control<z.input<typeof Invitation>, unknown, z.output<typeof Invitation>>;

/** A text field for any number of addresses. Its error names the first invalid address. */
function AddressesField({ control }: { control: InvitationControl }) {
  const { field, fieldState } = useController({ control, name: 'emails' });
  const [text, setText] = useState('');
  // The error of a list holds the errors of its items by their index.
  const faults: unknown = fieldState.error;
  const at = Array.isArray(faults) ? faults.findIndex((each) => each !== undefined) : -1;
  const error =
    at === -1
      ? fieldState.error?.message
      : t.invitations.wrong(field.value[at] ?? '', String((faults as { message: string }[])[at]?.message));
  return (
    <Textarea
      {...field}
      label={t.invitations.emails}
      description={t.invitations.emailsHint}
      placeholder="anna@company.ru, petr@company.ru"
      withAsterisk
      aria-required
      autosize
      minRows={2}
      maxRows={8}
      data-autofocus
      error={error}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        field.onChange(readAddresses(currentTarget.value));
      }}
    />
  );
}
