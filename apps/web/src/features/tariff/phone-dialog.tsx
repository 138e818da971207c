import { myTariff, setPhone, type Tariff } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { useQuery } from '@tanstack/react-query';
import { queryOptions } from '../../api/queries.ts';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { PhoneField } from '../../forms/phone-field.tsx';

/** Edits the contact phone of the owner's company. */
export function PhoneDialog({ onClose }: { onClose: OnClose }) {
  return (
    <EditDialog
      title={t.tariff.phone}
      query={useQuery(queryOptions(myTariff, {}))}
      values={({ phone }: Tariff) => ({ phone })}
      schema={setPhone.body}
      update={setPhone}
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
    </EditDialog>
  );
}
