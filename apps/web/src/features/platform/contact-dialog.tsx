import { type Contact, ContactInput, getContact, setContact } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/queries.ts';
import { EmailField, TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { PhoneField } from '../../common/phone-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Edits the contact of the platform's operator. */
export function ContactDialog(props: { contact: Contact; onClose: () => void }) {
  const [{ version, ...contact }, setStored] = useState(props.contact);
  const { mutateAsync } = useCall(setContact);
  return (
    <FormDialog
      title={t.plans.contact}
      schema={ContactInput}
      initial={contact}
      submit={async (body, signal) => {
        await mutateAsync({ body, version, signal });
        toastSuccess(t.alerts.updated);
      }}
      reload={async () => {
        const fresh = await call(getContact, {});
        setStored(fresh);
        return fresh;
      }}
      onClose={props.onClose}
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
    </FormDialog>
  );
}
