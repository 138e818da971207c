/** Formats times relative to now as text, in the time zone of the browser. */

const dayOfYear = /* @__PURE__ */ new Intl.DateTimeFormat('ru', { day: 'numeric', month: 'long' });
const clock = (at: Date) => `${at.getHours()}:${String(at.getMinutes()).padStart(2, '0')}`;
const midnight = (at: Date) => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());

/** A day as the word for today or tomorrow, as «5 декабря» or, in another year, as «5 декабря 2027 года». */
function day(at: Date, now: Date, words: readonly string[]): string {
  const year = at.getFullYear() === now.getFullYear() ? '' : ` ${at.getFullYear()} года`;
  return words[(midnight(at) - midnight(now)) / 86_400_000] ?? dayOfYear.format(at) + year;
}

/** A time as «сегодня в 18:00», «завтра в 9:00», «5 декабря в 9:00» or «5 декабря 2027 года в 9:00». */
export function when(iso: string, now = new Date()): string {
  const at = new Date(iso);
  return `${day(at, now, ['сегодня', 'завтра'])} в ${clock(at)}`;
}

/** An end as «до 18:00», «до завтра, 9:00» or «до 5 декабря, 9:00»; at midnight, the day before: «до конца 5 декабря». */
export function until(iso: string, now = new Date()): string {
  const at = new Date(iso);
  const time = clock(at);
  if (time !== '0:00') return `до ${[day(at, now, ['', 'завтра']), time].filter(Boolean).join(', ')}`;
  at.setMinutes(-1);
  return `до конца ${day(at, now, ['дня', 'завтрашнего дня'])}`;
}

/** The last day before an end, as «5 декабря» or «5 декабря 2027». */
export const lastDay = (iso: string, now = new Date()): string =>
  day(new Date(Date.parse(iso) - 1), now, []).replace(' года', '');

/**
 * Says until when a site is open, or when it opens: «Открыт до 18:00», «Откроется завтра в 9:00», «Срок доступа истёк».
 * @param at the time at which `open` changes; null for never
 * @returns null for a site that stays open
 */
export function openTimes(open: boolean, at: string | null, now?: Date): string | null {
  if (at === null) return open ? null : 'Срок доступа истёк';
  return open ? `Открыт ${until(at, now)}` : `Откроется ${when(at, now)}`;
}
