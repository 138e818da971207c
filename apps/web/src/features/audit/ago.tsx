import * as t from '@propusk/phrases/console';
import { useState } from 'react';

const relative = new Intl.RelativeTimeFormat('ru', { numeric: 'auto' });
// The filter's days are Moscow's, so that the hours beside them are too.
const zone = { timeZone: 'Europe/Moscow' } as const;
const momentFormat = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'medium', ...zone });
const dayFormat = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'short', ...zone });

const steps = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const;
/** Beyond that many days nobody counts back. */
const DAYS = 7;

/** The exact second, as Moscow's clocks say it. */
export const exactly = (iso: string) => t.audit.moscow(momentFormat.format(new Date(iso)));

/** How long ago something was, and of what is long ago the minute; the second is in its tooltip. */
export function Ago({ iso }: { iso: string }) {
  const [now] = useState(Date.now);
  return (
    <time dateTime={iso} title={exactly(iso)}>
      {spoken(iso, now)}
    </time>
  );
}

function spoken(iso: string, now: number): string {
  // A clock of the reader's that is a little slow must not speak of the future.
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds >= DAYS * 86_400) return dayFormat.format(new Date(iso));
  const [unit, length] = steps.findLast(([, least]) => seconds >= least) ?? ['second', 1];
  return unit === 'second'
    ? relative.format(0, 'second')
    : relative.format(-Math.floor(seconds / length), unit);
}
