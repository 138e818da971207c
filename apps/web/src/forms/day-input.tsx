import { TextInput, type TextInputProps } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';
import { isDay } from '../ui/day.tsx';

/** Props of a day field. Days are yyyy-mm-dd; '' means none. */
export type DayInputProps = {
  value: string | undefined;
  onDay: (day: string) => void;
  /** Called with a text that is no day, so that a form does not save the day that the field held before. */
  onOther?: (typed: string) => void;
  /** A placeholder. It also names a field that has no `label`. */
  inside?: string;
} & Pick<TextInputProps, 'label' | 'description'>;

/**
 * A day as dd.MM.yyyy. A native date field would have the format of the browser's language, which a page cannot choose.
 * `onDay` does not get a partly typed day.
 */
export function DayInput({ value = '', onDay, onOther, inside, ...props }: DayInputProps) {
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
      {...props}
      {...(inside && {
        'aria-label': props.label ? undefined : inside,
        leftSection: <span aria-hidden="true">{inside}</span>,
        leftSectionWidth: 32,
      })}
      inputMode="numeric"
      placeholder={t.input.day}
      maxLength={10}
      error={(left || typed.length === 10) && isoOf(typed) === undefined && t.input.noDay}
      value={typed}
      onFocus={() => setLeft(false)}
      onBlur={() => setLeft(true)}
      onChange={({ currentTarget }) => {
        const next = dotted(currentTarget.value, typed);
        setTyped(next);
        const day = isoOf(next);
        if (day === undefined) onOther?.(next);
        else onDay(day);
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
