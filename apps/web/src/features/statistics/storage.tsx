import { Button } from '@mantine/core';
import { type RecordSettings, setRecordSettings } from '@propusk/contract/record-settings';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { zoneLabel } from '../../entities/company/zones.ts';
import { formatMoment } from '../../ui/day.tsx';
import { DefinitionCard } from '../../ui/definition-card.tsx';
import { lazyDialog } from '../../ui/lazy.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toasting } from '../../ui/toast.ts';
import { TwoLines } from '../../ui/two-lines.tsx';

const StorageDialog = lazyDialog(() => import('./storage-dialog.tsx'), 'StorageDialog');
const text = t.statistics.storage;

/** Shows which data the company's access records contain and for how long they are kept, and opens the dialog that edits this. */
export function Storage({ settings }: { settings: RecordSettings }) {
  const [editing, setEditing] = useState(false);
  const { addresses, retentionDays, keepNames, timeZone, platformDays, pending } = settings;
  const { mutate, isPending } = useCall(setRecordSettings);
  /** Cancels the pending change: sends the settings in force again. */
  const keep = () =>
    mutate(
      {
        body: { addresses, retentionDays: retentionDays ?? undefined, keepNames, timeZone },
        version: settings.version,
      },
      toasting(text.pendingCancelled),
    );
  const kept = Math.min(retentionDays ?? platformDays, platformDays);
  const rows: [term: string, value: string, meaning: string][] = [
    [text.addresses, text.stored[addresses], text.storedMeans[addresses]],
    [text.retention, text.days(kept), text.retentionMeans(platformDays)],
    [text.names, keepNames ? text.namesKept : text.namesGone, text.namesMean[`${keepNames}`]],
    [text.zone, zoneLabel(timeZone), text.zoneMeans],
  ];
  return (
    <>
      {pending !== null && (
        <Notice kind="warning" mb="md">
          {text.pending(pending, kept, formatMoment(pending.inForceAt))}{' '}
          <Button
            variant="default"
            size="compact-sm"
            display="block"
            mt="xs"
            loading={isPending}
            onClick={keep}
          >
            {text.cancelPending}
          </Button>
        </Notice>
      )}
      <DefinitionCard
        title={t.statistics.parts.storage}
        lead={text.lead}
        rows={rows.map(([term, first, second]) => ({
          term,
          value: <TwoLines first={first} second={second} />,
        }))}
        footer={
          <Button variant="default" onClick={() => setEditing(true)} {...StorageDialog.intent}>
            {text.edit}
          </Button>
        }
      />
      {editing && <StorageDialog onClose={() => setEditing(false)} />}
    </>
  );
}
