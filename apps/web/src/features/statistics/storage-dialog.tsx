import { NativeSelect } from '@mantine/core';
import {
  type RecordSettings,
  RecordSettingsInput,
  recordSettings,
  StoredAddresses,
  setRecordSettings,
} from '@propusk/contract/record-settings';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/queries.ts';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { type Bound, labels, useField } from '../../common/fields.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { NumberField } from '../../common/number-field.tsx';
import { toastSuccess } from '../../ui/toast.ts';

const text = t.statistics.storage;
const addresses = StoredAddresses.options.map((value) => ({ value, label: text.stored[value] }));

/** Edits what the records of the company's users hold. */
export function StorageDialog(props: { settings: RecordSettings; onClose: () => void }) {
  const [settings, setSettings] = useState(props.settings);
  const { mutateAsync } = useCall(setRecordSettings);
  const { platformDays, timeZone, version } = settings;
  // A browser may know a zone by another name than the server.
  const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), timeZone])].toSorted();
  return (
    <FormDialog
      title={text.edit}
      schema={RecordSettingsInput}
      initial={inputOf(settings)}
      submit={async (body, signal) => {
        await mutateAsync({ body, version, signal });
        toastSuccess(t.alerts.updated);
      }}
      reload={async () => {
        const fresh = await call(recordSettings, {});
        setSettings(fresh);
        return inputOf(fresh);
      }}
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <ChoiceField
            control={control}
            name="addresses"
            label={text.addresses}
            description={text.addressesHint}
            data={addresses}
          />
          <NumberField
            control={control}
            name="retentionDays"
            label={text.retentionDays}
            description={text.retentionHint(platformDays)}
            placeholder={String(platformDays)}
          />
          <CheckboxField
            control={control}
            name="keepNames"
            label={text.keepNames}
            description={text.keepNamesHint}
          />
          <ChoiceField
            control={control}
            name="timeZone"
            label={text.zone}
            description={text.zoneMeans}
            data={zones}
          />
        </>
      )}
    </FormDialog>
  );
}

type ChoiceProps<V extends FieldValues, O> = Bound<V, O> & {
  data: (string | { value: string; label: string })[];
};

function ChoiceField<V extends FieldValues, O>(props: ChoiceProps<V, O>) {
  return <NativeSelect {...labels(props)} {...useField(props)} data={props.data} />;
}

function inputOf({ addresses: stored, retentionDays, keepNames, timeZone }: RecordSettings) {
  return { addresses: stored, retentionDays: retentionDays ?? undefined, keepNames, timeZone };
}
