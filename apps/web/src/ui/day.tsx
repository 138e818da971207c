const dayFormat = new Intl.DateTimeFormat('ru', { day: '2-digit', month: '2-digit', year: 'numeric' });
const momentFormat = new Intl.DateTimeFormat('ru', {
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** Formats a time as dd.MM.yyyy, HH:mm. */
export function formatMoment(iso: string): string {
  return momentFormat.format(new Date(iso));
}

/** Formats a time as its day, dd.MM.yyyy. */
export function formatDay(iso: string): string {
  return dayFormat.format(new Date(iso));
}

/** A day as dd.MM.yyyy (spec section 9). Its tooltip shows the time too. */
export function Day({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatMoment(iso)}>
      {formatDay(iso)}
    </time>
  );
}
