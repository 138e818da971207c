import * as t from '@propusk/phrases/console';
import { useState } from 'react';

const relative = new Intl.RelativeTimeFormat('ru', { numeric: 'auto' });
// The filter counts days in Moscow time; the times shown beside it do too.
const zone = { timeZone: 'Europe/Moscow' } as const;
const momentFormat = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'medium', ...zone });
const dayFormat = new Intl.DateTimeFormat('ru', { dateStyle: 'short', timeStyle: 'short', ...zone });

const steps = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
] as const;
/** Events older than this many days show their date. */
const DAYS = 7;

/** The exact second in Moscow time. */
export const exactly = (iso: string) => t.audit.moscow(momentFormat.format(new Date(iso)));

/** Time since an event; for an old event its minute. The tooltip shows the second. */
export function Ago({ iso }: { iso: string }) {
  const [now] = useState(Date.now);
  return (
    <time dateTime={iso} title={exactly(iso)}>
      {spoken(iso, now)}
    </time>
  );
}

function spoken(iso: string, now: number): string {
  // The reader's clock may be slow: an event must not lie in the future.
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds >= DAYS * 86_400) return dayFormat.format(new Date(iso));
  const [unit, length] = steps.findLast(([, least]) => seconds >= least) ?? ['second', 1];
  return unit === 'second'
    ? relative.format(0, 'second')
    : relative.format(-Math.floor(seconds / length), unit);
}
