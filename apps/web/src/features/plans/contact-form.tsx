import { type Contact, ContactInput, getContact, setContact } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { EmailField, TextField } from '../../forms/fields.tsx';
import { PhoneField } from '../../forms/phone-field.tsx';

/** Edits the contact of the platform's operator. */
export function ContactDialog({ onClose }: { onClose: OnClose }) {
  return (
    <EditDialog
      title={t.plans.contact}
      query={useQuery(queryOptions(getContact, {}))}
      values={({ name, phone, email, telegram }: Contact) => ({ name, phone, email, telegram })}
      schema={ContactInput}
      update={setContact}
      replaces
      onClose={onClose}
    >
      {(control) => (
        <>
          <TextField control={control} name="name" label={t.plans.contactName} autoFocus />
          <PhoneField
            control={control}
            name="phone"
            label={t.plans.contactPhone}
            placeholder={t.tariff.phoneForm}
          />
          <EmailField control={control} label={t.plans.contactEmail} />
          <TextField
            control={control}
            name="telegram"
            label={t.plans.contactTelegram}
            placeholder="@propusk_sales"
          />
        </>
      )}
    </EditDialog>
  );
}
