import * as t from '@propusk/phrases/console';
import type { Option } from '../../common/select-fields.tsx';

const cities: Readonly<Record<string, string>> = t.statistics.storage.cities;

/** A time zone (IANA) for people, with its present offset: the city, or the zone's name where no city is known. */
export function zoneLabel(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts();
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', 'UTC');
  return `${cities[timeZone] ?? timeZone} (${offset})`;
}

/** All time zones, the Russian ones first. @param stored may have another name in this browser */
export function zoneOptions(stored: string): Option<string>[] {
  const zones = new Set([...Object.keys(cities), ...Intl.supportedValuesOf('timeZone'), stored]);
  return [...zones].map((value) => ({ value, label: zoneLabel(value) }));
}
