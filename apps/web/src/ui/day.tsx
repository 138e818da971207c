const day = { day: '2-digit', month: '2-digit', year: 'numeric' } as const;

/** The format dd.MM.yyyy of a time zone (IANA); by default the browser's. */
export const dayFormatIn = (timeZone?: string) => new Intl.DateTimeFormat('ru', { ...day, timeZone });

/** The format dd.MM.yyyy, HH:mm of a time zone (IANA); by default the browser's. */
export const momentFormatIn = (timeZone?: string) =>
  new Intl.DateTimeFormat('ru', { ...day, hour: '2-digit', minute: '2-digit', timeZone });

const dayFormat = dayFormatIn();
const momentFormat = momentFormatIn();

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
    <time dateTime={iso} title={formatMoment(iso)} style={{ whiteSpace: 'nowrap' }}>
      {formatDay(iso)}
    </time>
  );
}

/** Whether a text is a calendar day (yyyy-mm-dd) of the years 1000 to 2999, which the server accepts. */
export function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text)) return false;
  const read = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(text);
}
