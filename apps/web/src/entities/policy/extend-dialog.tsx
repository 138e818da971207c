import { Text } from '@mantine/core';
import { Moment } from '@propusk/contract/times';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { isDay } from '../../ui/day.tsx';
import { toastSuccess } from '../../ui/toast.ts';
import { dayOf } from '../company/zoned-days.ts';
import { MomentField } from './moment-fields.tsx';
import { instantOf, sayDay } from './moments.ts';

/** An end of access, and the time zone in which its days end. */
interface Extended {
  id: number;
  name: string;
  until: string;
  zone: string;
}

/** Moves ends of access to a later day: by default 30 days after the latest end, or after now if that is later. Ends after the
 * chosen day stay unchanged. */
export function ExtendDialog(props: {
  /** The name of the user or the policy, for the toast. */
  name: string;
  ends: readonly Extended[];
  save: (ends: { id: number; until: string }[], signal: AbortSignal) => Promise<unknown>;
  onClose: () => void;
}) {
  const { ends } = props;
  const zone = ends[0]?.zone ?? '';
  const [now] = useState(() => Date.now());
  const [latest] = useState(Math.max(now, ...ends.map(({ until }) => Date.parse(until) - 1)));
  const movedTo = (day: string) =>
    ends.filter(
      ({ until, zone: own }) => isDay(day) && instantOf(day, own) > Math.max(now, Date.parse(until)),
    );
  return (
    <FormDialog
      title={t.times.extend}
      schema={z.object({ until: Moment.check(z.refine((day) => movedTo(day).length > 0)) })}
      initial={{ until: dayOf(latest, zone, -30) }}
      question
      submit={async ({ until }, signal) => {
        const moved = movedTo(until).map(({ id }) => ({ id, until }));
        await props.save(moved, signal);
        toastSuccess(t.times.extended, props.name);
      }}
      submitLabel={t.times.extend}
      onClose={props.onClose}
    >
      {(control) => (
        <>
          <MomentField control={control} name="until" label={t.times.extendUntil} zone={zone} />
          <Effect control={control} movedTo={movedTo} />
        </>
      )}
    </FormDialog>
  );
}

/** Lists the memberships or the policy whose end moves to the chosen day. */
function Effect(props: {
  control: Control<{ until: string }, unknown, { until: string }>;
  movedTo: (day: string) => readonly Extended[];
}) {
  const day = useWatch({ control: props.control, name: 'until' });
  const moved = props.movedTo(day);
  return (
    <Text component="output" size="sm">
      {moved.map(({ id, name, until, zone }) => (
        <span key={id} style={{ display: 'block' }}>
          {t.times.extension(name, sayDay(until, zone), sayDay(day, zone))}
        </span>
      ))}
      {moved.length === 0 && t.times.notLater}
    </Text>
  );
}
