import { myTariff, setPhone, type Tariff } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/queries.ts';
import { FormDialog } from '../../common/form-dialog.tsx';
import { PhoneField } from '../../common/phone-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';

/** Edits the contact phone of the owner's company. */
export function PhoneDialog(props: { tariff: Tariff; onClose: () => void }) {
  const [{ phone, version }, setStored] = useState(props.tariff);
  const { mutateAsync } = useCall(setPhone);
  return (
    <FormDialog
      title={t.tariff.phone}
      schema={setPhone.body}
      initial={{ phone }}
      submit={async (body, signal) => {
        await mutateAsync({ body, version, signal });
        toastSuccess(t.alerts.updated);
      }}
      reload={async () => {
        const fresh = await call(myTariff, {});
        setStored(fresh);
        return { phone: fresh.phone };
      }}
      onClose={props.onClose}
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
