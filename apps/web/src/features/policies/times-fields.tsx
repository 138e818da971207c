import { Stack, Text } from '@mantine/core';
import type { Policy } from '@propusk/contract/policies';
import * as t from '@propusk/phrases/console';
import { IconChevronDown } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { type Control, type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { zoneLabel, zoneOptions } from '../../entities/company/zones.ts';
import { MomentField } from '../../entities/policy/moment-fields.tsx';
import { ownZone, sayDay, stateOf } from '../../entities/policy/moments.ts';
import { sayWindows, type Windows } from '../../entities/policy/windows.ts';
import { SelectField } from '../../forms/select-fields.tsx';
import { isDay } from '../../ui/day.tsx';
import { HoursField } from './hours-field.tsx';
import classes from './times.module.css';

/** The form values of the times of a policy. `windows` is null for no hours at all, which the contract refuses. */
export interface TimesValues {
  validFrom?: string | undefined;
  validUntil?: string | undefined;
  windows?: Windows | null | undefined;
  zone?: string | undefined;
}

/** The times of a policy as form values. @param stored absent for a new policy */
export const timesOf = (stored?: Policy) => ({
  validFrom: stored?.validFrom ?? '',
  validUntil: stored?.validUntil ?? '',
  windows: stored?.windows ?? [],
  zone: stored?.zone ?? '',
});

/** The part of the policy form with the times. It is folded into a line while the policy has none. */
export function TimesFields<V extends TimesValues & FieldValues, O>(props: {
  control: Control<V, unknown, O>;
  stored: Policy | undefined;
}) {
  const { control, stored } = props;
  const field = (name: keyof TimesValues) => name as FieldPath<V>;
  const names = [field('validFrom'), field('validUntil'), field('windows'), field('zone')] as const;
  // Until the stored policy has loaded, the form has no values.
  const [validFrom = '', validUntil = '', windows = [], zone = ''] = useWatch({ control, name: names }) as [
    ...[string?, string?, (Windows | null)?, string?],
  ];
  const timeZone = stored?.timeZone ?? ownZone;
  const isStored =
    JSON.stringify({ validFrom, validUntil, windows, zone }) === JSON.stringify(timesOf(stored));
  const summary = [
    ...(windows?.length === 0 ? [] : [sayWindows(windows ?? [])]),
    ...(isDay(validFrom.slice(0, 10)) ? [t.times.since(sayDay(validFrom, timeZone, false))] : []),
    ...(isDay(validUntil.slice(0, 10)) ? [t.times.to(sayDay(validUntil, timeZone))] : []),
  ];
  const [initially] = useState(Boolean(stored?.validFrom || stored?.validUntil || stored?.windows.length));
  const [open, setOpen] = useState(initially);
  const zones = useMemo(() => {
    const ofCompany = stored && stored.zone === null ? zoneLabel(stored.timeZone) : '';
    return open ? [{ value: '', label: t.times.companyZone(ofCompany) }, ...zoneOptions(timeZone)] : [];
  }, [stored, timeZone, open]);
  return (
    <details
      open={initially}
      className={classes.times}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span>{t.times.title}</span>
        {!open && <span className={classes.summary}>{summary.join(', ') || t.times.always}</span>}
        <IconChevronDown size={18} aria-hidden />
      </summary>
      {open && (
        <Stack gap="md" mt="sm">
          {stored && isStored && summary.length > 0 && <Text fw={500}>{stateOf(stored).sentence}</Text>}
          <div className={classes.days}>
            <MomentField
              {...{ control, name: names[0], zone: timeZone, isEnd: false }}
              {...{ label: t.times.from, description: t.times.fromHint }}
            />
            <MomentField
              {...{ control, name: names[1], zone: timeZone }}
              {...{ label: t.times.until, description: t.times.untilHint }}
            />
          </div>
          <HoursField control={control} name={names[2]} />
          <SelectField {...{ control, name: names[3], label: t.times.zone, options: zones }} />
        </Stack>
      )}
    </details>
  );
}
