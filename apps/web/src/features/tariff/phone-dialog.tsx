import { setPhone } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { PhoneField } from '../../common/phone-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Edits the contact phone of the owner's company. */
export function PhoneDialog({ phone, onClose }: { phone: string; onClose: () => void }) {
  const { mutateAsync } = useCall(setPhone);
  return (
    <FormDialog
      title={t.tariff.phone}
      schema={setPhone.body}
      initial={{ phone }}
      submit={async (body, signal) => {
        await mutateAsync({ body, signal });
        toastSuccess(t.alerts.updated);
      }}
      onClose={onClose}
    >
      {(control) => (
        <PhoneField
          control={control}
          name="phone"
          label={t.plans.contactPhone}
          autoComplete="tel"
          placeholder={t.tariff.phoneForm}
        />
      )}
    </FormDialog>
  );
}
