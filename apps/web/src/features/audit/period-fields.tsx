import { TextInput, VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import type { Period } from '../../common/list-search.ts';
import classes from './audit.module.css';

/** Two date fields for a period. A partly typed date does not start a search. */
export function PeriodFields({ period, onPeriod }: { period: Period; onPeriod: (next: Period) => void }) {
  return (
    <fieldset className={classes.period}>
      <VisuallyHidden component="legend">{t.audit.period}</VisuallyHidden>
      <DayField
        label={t.audit.from}
        value={period.from}
        max={period.to}
        onDay={(from) => onPeriod({ ...period, from })}
      />
      <DayField
        label={t.audit.to}
        value={period.to}
        min={period.from}
        onDay={(to) => onPeriod({ ...period, to })}
      />
    </fieldset>
  );
}

function DayField(props: {
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onDay: (day: string) => void;
}) {
  const { label, value = '', min, max, onDay } = props;
  const [typed, setTyped] = useState(value);
  const [followed, setFollowed] = useState(value);
  // The URL may change without this field, by Back or a link: then show the day of the URL.
  if (value !== followed) {
    setFollowed(value);
    setTyped(value);
  }
  return (
    <TextInput
      type="date"
      aria-label={label}
      leftSection={<span aria-hidden="true">{label}</span>}
      leftSectionWidth={44}
      min={min ?? '1970-01-01'}
      max={max ?? '2999-12-31'}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        // While the user types the year 2026, the browser reports the years 0002, 0020 and 0202.
        if (currentTarget.value === '' || currentTarget.value >= '1970') onDay(currentTarget.value);
      }}
    />
  );
}
