const DAY_MS = 86_400_000;

/** The time, in ms since 1970, when clocks in UTC show what clocks in the time zone show at `at`. The Swedish locale is used
 * because it formats dates as ISO 8601. */
function clockOf(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
}

/** The start of a day in a time zone. @param more days to add */
export function startOf(day: string, zone: string, more = 0): Date {
  const midnight = Date.parse(`${day}T00:00Z`) + more * DAY_MS;
  const offset = (at: number) => clockOf(at, zone) - at;
  // The clocks may change between midnight in UTC and midnight in the zone, so the offset is read again for the first result.
  return new Date(midnight - offset(midnight - offset(midnight)));
}

/** The day (yyyy-mm-dd) of a time in a time zone. @param ago days to subtract */
export function dayOf(at: number, zone: string, ago = 0): string {
  return new Date(clockOf(at, zone) - ago * DAY_MS).toISOString().slice(0, 10);
}

/** Today (yyyy-mm-dd) in a time zone. @param ago days to subtract */
export const dayAgo = (ago: number, zone: string): string => dayOf(Date.now(), zone, ago);
