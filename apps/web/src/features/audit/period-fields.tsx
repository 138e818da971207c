import { Group, VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { DayInput } from '../../forms/day-input.tsx';
import type { Period } from '../../lists/list-search.ts';
import classes from './audit.module.css';

/** Two date fields for a period. A partly typed date does not start a search. */
export function PeriodFields({ period, onPeriod }: { period: Period; onPeriod: (next: Period) => void }) {
  return (
    <Group component="fieldset" gap="xs" m={0} p={0} miw={0} bd="none" className={classes.period}>
      <VisuallyHidden component="legend">{t.audit.period}</VisuallyHidden>
      <DayInput inside={t.audit.from} value={period.from} onDay={(from) => onPeriod({ ...period, from })} />
      <DayInput inside={t.audit.to} value={period.to} onDay={(to) => onPeriod({ ...period, to })} />
    </Group>
  );
}
