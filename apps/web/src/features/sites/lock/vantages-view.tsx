import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import {
  addVantage,
  deleteVantage,
  listVantages,
  type Vantage,
  type VantagePairing,
} from '@propusk/contract/vantages';
import * as t from '@propusk/phrases/console';
import { IconRadar2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryOptions, useCall } from '../../../api/queries.ts';
import { useMe } from '../../../entities/user/me.tsx';
import { Card } from '../../../ui/card.tsx';
import { Code } from '../../../ui/code.tsx';
import { confirm } from '../../../ui/confirm.ts';
import { formatMoment } from '../../../ui/day.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Failed, State } from '../../../ui/state.tsx';
import { Tag } from '../../../ui/tags.tsx';
import classes from './lock-dialog.module.css';

/** Poll interval of the list in milliseconds, so that a newly paired machine appears without a reload. */
const POLL_MS = 2_000;

/** The vantages (machines that probe sites) of the company or the platform, their state, and a form to add one. */
export function VantagesView({ onBack }: { onBack: () => void }) {
  const { company } = useMe();
  const query = useQuery({ ...queryOptions(listVantages, {}), refetchInterval: POLL_MS });
  const rows = query.data?.rows;
  return (
    <Stack gap={20}>
      <Text>{company ? t.vantages.lead : t.vantages.platformLead}</Text>
      {query.error && !rows && <Failed query={query} title={t.vantages.failed} />}
      {!query.error && !rows && <Skeleton height={56} />}
      {rows?.length === 0 && (
        <State icon={<IconRadar2 size={24} />} title={t.vantages.empty} hint={t.vantages.emptyHint} />
      )}
      {rows !== undefined && rows.length > 0 && (
        <Card>
          <ul aria-label={t.vantages.list}>
            {rows.map((vantage) => (
              <Row key={vantage.id} vantage={vantage} />
            ))}
          </ul>
        </Card>
      )}
      <AddVantage vantages={rows ?? []} />
      <footer className={classes.footer}>
        <Button variant="default" onClick={onBack}>
          {t.vantages.back}
        </Button>
      </footer>
    </Stack>
  );
}

function Row({ vantage: { id, name, address, seenAt, present } }: { vantage: Vantage }) {
  const { mutateAsync } = useCall(deleteVantage);
  const remove = () =>
    confirm({
      text: t.vantages.removeQuestion(name),
      hint: t.vantages.removeHint,
      yes: t.vantages.remove,
      danger: true,
      action: () => mutateAsync({ params: { id } }),
      done: [t.vantages.removed, name],
    });
  return (
    <li className={classes.row}>
      <div>
        <Group gap="2px 8px" style={{ overflowWrap: 'anywhere' }}>
          <b>{name}</b>
          {address !== null && <span>{address}</span>}
          <Tag tone={present ? 'accent' : 'neutral'}>
            {present ? t.vantages.present : seenAt === null ? t.vantages.waiting : t.vantages.away}
          </Tag>
        </Group>
        {seenAt !== null && !present && (
          <p className={classes.seen}>{t.vantages.seen(formatMoment(seenAt))}</p>
        )}
      </div>
      <Button variant="subtle" size="compact-sm" aria-label={t.vantages.removeOne(name)} onClick={remove}>
        {t.vantages.remove}
      </Button>
    </li>
  );
}

/** Adds a vantage by its name, then shows the pairing command until the machine has called the server. */
function AddVantage({ vantages }: { vantages: readonly Vantage[] }) {
  const [name, setName] = useState('');
  const { data, error, isPending, mutate } = useCall(addVantage);
  const added = vantages.find(({ id }) => id === data?.id);
  function submit(event: FormEvent) {
    event.preventDefault();
    mutate({ body: { name } }, { onSuccess: () => setName('') });
  }
  return (
    <>
      <output className={`${classes.seen} ${classes.announced}`}>
        {added?.present && t.vantages.connected(added.name)}
      </output>
      {data && <PairingCommand pairing={data} paired={added !== undefined && added.seenAt !== null} />}
      <Group component="form" gap="xs" align="end" onSubmit={submit}>
        <TextInput
          flex="1 1 240px"
          label={t.vantages.name}
          placeholder={t.vantages.namePlaceholder}
          value={name}
          maxLength={60}
          error={error?.message}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={isPending} disabled={name.trim() === ''}>
          {t.vantages.add}
        </Button>
      </Group>
    </>
  );
}

/** A crontab line: the vantage runs its queued probes every half hour, also after the machine has restarted. */
const CRON = '*/30 * * * * sh $HOME/vantage.sh once >/dev/null 2>>$HOME/vantage.log';

const LOOPBACK = /^curl -fsS https?:\/\/(localhost|127\.|\[::1\])/;

/** The command that pairs a machine as a vantage; after the pairing, the crontab line that repeats its probes. */
function PairingCommand({ pairing, paired }: { pairing: VantagePairing; paired: boolean }) {
  return paired ? (
    <Code title={t.vantages.cron} label={t.vantages.cron} text={CRON} copy={t.vantages.copyCron} />
  ) : (
    <div>
      <Code
        title={t.vantages.command}
        label={t.vantages.command}
        text={pairing.command}
        copy={t.vantages.copy}
      />
      {LOOPBACK.test(pairing.command) && <Notice kind="warning">{t.vantages.localOnly}</Notice>}
      <p className={classes.seen}>{t.vantages.commandHint(formatMoment(pairing.expiresAt))}</p>
    </div>
  );
}
