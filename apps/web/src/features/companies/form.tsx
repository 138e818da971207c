import { Text } from '@mantine/core';
import {
  type Company,
  CompanyInput,
  createCompany,
  deleteCompany,
  getCompany,
  listCompanies,
} from '@propusk/contract/companies';
import { Proof } from '@propusk/contract/fields';
import { limits } from '@propusk/contract/limits';
import { type Invitation, InvitationInput, inviteCompany } from '@propusk/contract/registration';
import { inviteOwner } from '@propusk/contract/role-changes';
import * as t from '@propusk/phrases/console';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import * as z from 'zod/mini';
import { useCall } from '../../api/queries.ts';
import { InviteUserDialog } from '../../entities/user/invite-user-dialog.tsx';
import { useMe } from '../../entities/user/me.tsx';
import { noProof, ProofFields, proofShape } from '../../entities/user/proof-fields.tsx';
import type { OnClose } from '../../forms/dialog.tsx';
import { EmailField, TextField } from '../../forms/fields.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { MadeLinks } from '../../forms/made-links.tsx';
import { useEntity } from '../../forms/use-entity.ts';
import { formatMoment } from '../../ui/day.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Deletes a company with all its data, after the ADMIN's password. */
export function DeleteCompanyDialog({ company, onClose }: { company: Company; onClose: () => void }) {
  const me = useMe();
  const remove = useCall(deleteCompany);
  const { id, companyName } = company;
  return (
    <FormDialog
      title={t.companies.remove}
      schema={z.extend(Proof, proofShape(me))}
      initial={noProof(me)}
      submit={async (body, signal) => {
        await remove.mutateAsync({ params: { id }, body, signal });
        toastSuccess(t.alerts.deleted, companyName);
      }}
      submitLabel={t.common.yes}
      cancelLabel={t.common.no}
      danger
      onClose={onClose}
    >
      {(control) => (
        <>
          <Text>
            {companyName}. {t.companies.loss}
          </Text>
          <ProofFields control={control} />
        </>
      )}
    </FormDialog>
  );
}

/** Adds a company without users. */
export function CreateCompanyDialog({ onClose }: { onClose: OnClose }) {
  const create = useCall(createCompany);
  return (
    <FormDialog
      title={t.companies.create}
      schema={CompanyInput}
      initial={{ companySite: '', companyName: '' }}
      submit={async (body, signal) => {
        const company = await create.mutateAsync({ body, signal });
        toastSuccess(t.alerts.created, company.companyName);
      }}
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField
            control={control}
            name="companySite"
            label={t.company.site}
            placeholder="company.ru"
            inputMode="url"
            required
            autoFocus
          />
          <TextField
            control={control}
            name="companyName"
            label={t.company.name}
            description={t.companies.nameHint}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Invites a user by mail as an owner of a company. */
export function InviteOwnerDialog({ onClose }: { onClose: OnClose }) {
  const params = { id: Number(useParams({ strict: false }).id) };
  const { data: company, error } = useEntity(getCompany, listCompanies);
  const invite = useCall(inviteOwner);
  return (
    <InviteUserDialog
      title={t.companies.invite}
      hint={error ? error.message : t.companies.inviteHint(company?.companyName ?? '')}
      send={(body, signal) => invite.mutateAsync({ params, body, signal })}
      onClose={onClose}
    />
  );
}

/** Creates an invitation to register a company, and shows its link once. @param props.email of an invitation that is replaced */
export function InviteCompanyDialog({ email = '', onClose }: { email?: string; onClose: OnClose }) {
  const create = useCall(inviteCompany);
  const me = useMe();
  const [made, setMade] = useState<Invitation | null>(null);
  if (made !== null) {
    const { link, mailed, expiresAt } = made;
    const until = formatMoment(expiresAt);
    return (
      <MadeLinks
        title={t.companies.inviteCompany}
        hint={mailed ? t.companies.linkMailed(made.email, until) : t.companies.linkByHand(until)}
        links={[{ label: t.companies.link, link, copyLabel: t.companies.copyLink }]}
        onClose={() => onClose(true)}
      />
    );
  }
  return (
    <FormDialog
      title={t.companies.inviteCompany}
      schema={z.extend(InvitationInput, proofShape(me))}
      initial={{ email, ...noProof(me) }}
      submit={async (body, signal) => {
        setMade(await create.mutateAsync({ body, signal }));
        return 'stay';
      }}
      submitLabel={t.companies.makeLink}
      onClose={onClose}
    >
      {(control) => (
        <>
          <Text size="sm" c="dimmed">
            {t.companies.inviteCompanyHint(limits.invitationDays)}{' '}
            {email !== '' && t.companyInvitations.againHint}
          </Text>
          <EmailField control={control} label={t.users.email} required autoFocus readOnly={email !== ''} />
          <ProofFields control={control} />
        </>
      )}
    </FormDialog>
  );
}
