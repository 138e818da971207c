import { Text } from '@mantine/core';
import {
  keepsLess,
  type RecordSettings,
  RecordSettingsChange,
  recordSettings,
  StoredAddresses,
  setRecordSettings,
} from '@propusk/contract/record-settings';
import * as t from '@propusk/phrases/console';
import { useMemo, useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { call } from '../../api/call.ts';
import { useCall } from '../../api/queries.ts';
import { CheckboxField } from '../../common/checkbox-field.tsx';
import { FormDialog } from '../../common/form-dialog.tsx';
import { useMe } from '../../common/me.tsx';
import { NumberField } from '../../common/number-field.tsx';
import { ProofFields, proofWhen } from '../../common/proof-fields.tsx';
import { SelectField } from '../../common/select-fields.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { zoneOptions } from './zones.ts';

const text = t.statistics.storage;
const addresses = StoredAddresses.options.map((value) => ({ value, label: text.stored[value] }));

/** Edits what the records of the company's users hold. */
export function StorageDialog(props: { settings: RecordSettings; onClose: () => void }) {
  const me = useMe();
  const [settings, setSettings] = useState(props.settings);
  const { mutateAsync } = useCall(setRecordSettings);
  const { platformDays, timeZone, version } = settings;
  const zones = useMemo(() => zoneOptions(timeZone), [timeZone]);
  return (
    <FormDialog
      title={text.edit}
      schema={RecordSettingsChange.check(proofWhen<RecordSettingsChange>(me, (body) => cuts(settings, body)))}
      initial={inputOf(settings)}
      submit={async (given, signal) => {
        const body = cuts(settings, given)
          ? given
          : { ...given, currentPassword: undefined, code: undefined };
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
          <SelectField
            control={control}
            name="addresses"
            label={text.addresses}
            description={text.addressesHint}
            options={addresses}
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
          <SelectField
            control={control}
            name="timeZone"
            label={text.zone}
            description={text.zoneMeans}
            options={zones}
          />
          <CutProof control={control} settings={settings} />
        </>
      )}
    </FormDialog>
  );
}

type Editing = Control<z.input<typeof RecordSettingsChange>, unknown, RecordSettingsChange>;

/** The values of the form: those of a pending change, or else those in force. */
function inputOf({ addresses: stored, timeZone, pending, ...now }: RecordSettings) {
  const { retentionDays, keepNames } = pending ?? now;
  const wanted = { addresses: stored, retentionDays: retentionDays ?? undefined, keepNames, timeZone };
  return { ...wanted, currentPassword: undefined, code: undefined };
}

/** Whether the api requires the password: the change shortens retention and is not the pending change. */
function cuts(
  settings: RecordSettings,
  { retentionDays, keepNames }: Pick<RecordSettingsChange, 'retentionDays' | 'keepNames'>,
): boolean {
  const { pending } = settings;
  if (pending?.retentionDays === (retentionDays ?? null) && pending.keepNames === keepNames) return false;
  const less = keepsLess({ retentionDays, keepNames }, settings);
  return less.days || less.names;
}

/** The fields that re-authenticate an owner, shown while the form shortens retention. */
function CutProof({ control, settings }: { control: Editing; settings: RecordSettings }) {
  const [retentionDays, keepNames] = useWatch({ control, name: ['retentionDays', 'keepNames'] });
  if (!cuts(settings, { retentionDays, keepNames })) return null;
  return (
    <>
      <Text size="sm" c="dimmed">
        {text.cutHint}
      </Text>
      <ProofFields control={control} blank />
    </>
  );
}
