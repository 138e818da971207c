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
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { queryOptions } from '../../api/queries.ts';
import { zoneOptions } from '../../entities/company/zones.ts';
import { useMe } from '../../entities/user/me.tsx';
import { ProofFields, proofWhen } from '../../entities/user/proof-fields.tsx';
import { CheckboxField } from '../../forms/checkbox-field.tsx';
import type { OnClose } from '../../forms/dialog.tsx';
import { EditDialog } from '../../forms/edit-dialog.tsx';
import { NumberField } from '../../forms/number-field.tsx';
import { SelectField } from '../../forms/select-fields.tsx';

const text = t.statistics.storage;
const addresses = StoredAddresses.options.map((value) => ({ value, label: text.stored[value] }));

/** Edits which data the company's access records contain, and for how long they are kept. */
export function StorageDialog({ onClose }: { onClose: OnClose }) {
  const me = useMe();
  return (
    <EditDialog
      title={text.edit}
      query={useQuery(queryOptions(recordSettings, {}))}
      values={inputOf}
      schema={(settings) =>
        RecordSettingsChange.check(proofWhen<RecordSettingsChange>(me, (body) => cuts(settings, body)))
      }
      normalise={(body, settings) =>
        cuts(settings, body) ? body : { ...body, currentPassword: undefined, code: undefined }
      }
      update={setRecordSettings}
      replaces
      onClose={onClose}
    >
      {(control, settings) => (
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
            description={text.retentionHint(settings.platformDays)}
            placeholder={String(settings.platformDays)}
          />
          <CheckboxField
            control={control}
            name="keepNames"
            label={text.keepNames}
            description={text.keepNamesHint}
          />
          <ZoneField control={control} stored={settings.timeZone} />
          <CutProof control={control} settings={settings} />
        </>
      )}
    </EditDialog>
  );
}

type Editing = Control<z.input<typeof RecordSettingsChange>, unknown, RecordSettingsChange>;

function ZoneField({ control, stored }: { control: Editing; stored: string }) {
  const zones = useMemo(() => zoneOptions(stored), [stored]);
  return (
    <SelectField
      control={control}
      name="timeZone"
      label={text.zone}
      description={text.zoneMeans}
      options={zones}
    />
  );
}

/** The values of the form: the settings of a pending change, or else the settings in force. */
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
