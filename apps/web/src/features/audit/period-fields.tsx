import { TextInput, VisuallyHidden } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { isDay, type Period } from '../../common/list-search.ts';
import classes from './audit.module.css';

/** Two date fields for a period. A partly typed date does not start a search. */
export function PeriodFields({ period, onPeriod }: { period: Period; onPeriod: (next: Period) => void }) {
  return (
    <fieldset className={classes.period}>
      <VisuallyHidden component="legend">{t.audit.period}</VisuallyHidden>
      <DayField label={t.audit.from} value={period.from} onDay={(from) => onPeriod({ ...period, from })} />
      <DayField label={t.audit.to} value={period.to} onDay={(to) => onPeriod({ ...period, to })} />
    </fieldset>
  );
}

/**
 * A day as dd.MM.yyyy. A native date field would have the format of the browser's language, which a page cannot choose.
 * @param props.value yyyy-mm-dd
 */
function DayField(props: { label: string; value: string | undefined; onDay: (day: string) => void }) {
  const { label, value = '', onDay } = props;
  const [typed, setTyped] = useState(shown(value));
  const [followed, setFollowed] = useState(value);
  const [left, setLeft] = useState(true);
  // The URL may change without this field, by Back or a link: then show the day of the URL.
  if (value !== followed) {
    setFollowed(value);
    if (value !== isoOf(typed)) setTyped(shown(value));
  }
  return (
    <TextInput
      inputMode="numeric"
      aria-label={label}
      placeholder={t.audit.day}
      maxLength={10}
      leftSection={<span aria-hidden="true">{label}</span>}
      leftSectionWidth={40}
      error={(left || typed.length === 10) && isoOf(typed) === undefined && t.audit.noDay}
      value={typed}
      onFocus={() => setLeft(false)}
      onBlur={() => setLeft(true)}
      onChange={({ currentTarget }) => {
        const next = dotted(currentTarget.value, typed);
        setTyped(next);
        const day = isoOf(next);
        if (day !== undefined) onDay(day);
      }}
    />
  );
}

const shown = (day: string) => day.split('-').toReversed().join('.');

/** @returns the day as yyyy-mm-dd, '' for an empty field, undefined for a text that is no day */
function isoOf(typed: string): string | undefined {
  if (typed === '') return '';
  const [, day = '', month = '', year = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(typed) ?? [];
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(iso) ? iso : undefined;
}

/** Adds the dots that a user leaves out: after two digits while typing, and to eight pasted digits. */
function dotted(text: string, before: string): string {
  const clean = text.replaceAll(/[^\d.]/g, '');
  if (/^\d{8}$/.test(clean)) return clean.replace(/^(..)(..)/, '$1.$2.');
  return clean.length > before.length && /^(\d\d|\d+\.\d\d)$/.test(clean) ? `${clean}.` : clean;
}
