import * as t from '@propusk/phrases/console';
import type { Option } from '../../forms/select-fields.tsx';

const cities: Readonly<Record<string, string>> = t.statistics.storage.cities;

/** The label of an IANA time zone: its Russian city, or else its IANA name, and the present UTC offset. */
export function zoneLabel(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts();
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC');
  return `${cities[timeZone] ?? timeZone} (${offset})`;
}

/** All time zones, the Russian ones first. @param stored is added if this browser lists the zone under another name */
export function zoneOptions(stored: string): Option<string>[] {
  const zones = new Set([...Object.keys(cities), ...Intl.supportedValuesOf('timeZone'), stored]);
  return [...zones].map((value) => ({ value, label: zoneLabel(value) }));
}
