import { type Contact, ContactInput, setContact } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { EmailField, TextField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { PhoneField } from '../../common/phone-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Edits the contact of the platform's operator. */
export function ContactDialog({ contact, onClose }: { contact: Contact; onClose: () => void }) {
  const { mutateAsync } = useCall(setContact);
  return (
    <FormDialog
      title={t.plans.contact}
      schema={ContactInput}
      initial={contact}
      submit={async (body, signal) => {
        await mutateAsync({ body, signal });
        toastSuccess(t.alerts.updated);
      }}
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
            description={t.plans.telegramHint}
          />
        </>
      )}
    </FormDialog>
  );
}
