import { useInterval } from '@mantine/hooks';
import * as t from '@propusk/phrases/console';
import { useState } from 'react';

const relative = new Intl.RelativeTimeFormat('ru', { numeric: 'auto' });
// The api filters audit events by days in Moscow time, so the page shows Moscow time too.
const zone = { timeZone: 'Europe/Moscow' } as const;
const momentFormat = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'medium', ...zone });
const dayFormat = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'short', ...zone });

const steps = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const;
/** An event older than this many days shows its date instead of the time since. */
const DAYS = 7;
const REFRESH_MS = 30_000;

/** Formats a time in Moscow time, exact to the second. */
export const exactly = (iso: string) => t.audit.moscow(momentFormat.format(new Date(iso)));

/** The time since an event, or for an old event its date and minute. The tooltip shows the exact time. */
export function Ago({ iso }: { iso: string }) {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), REFRESH_MS, { autoInvoke: true });
  return (
    <time dateTime={iso} title={exactly(iso)}>
      {textOf(iso, now)}
    </time>
  );
}

function textOf(iso: string, now: number): string {
  // The clock of this computer may be slow: do not show an event as in the future.
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds >= DAYS * 86_400) return dayFormat.format(new Date(iso));
  const [unit, length] = steps.findLast(([, least]) => seconds >= least) ?? ['second', 1];
  return unit === 'second'
    ? relative.format(0, 'second')
    : relative.format(-Math.floor(seconds / length), unit);
}
