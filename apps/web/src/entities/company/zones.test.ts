import { expect, test } from 'vitest';
import { zoneLabel, zoneOptions } from './zones.ts';

test.each([
  ['Europe/Moscow', 'Москва (UTC+3)'],
  ['Asia/Yekaterinburg', 'Екатеринбург (UTC+5)'],
  ['Asia/Tokyo', 'Asia/Tokyo (UTC+9)'],
  ['Asia/Kathmandu', 'Asia/Kathmandu (UTC+5:45)'],
])('the time zone %s is shown as %s', (zone, label) => expect(zoneLabel(zone)).toBe(label));

test('the list of time zones begins with the Russian zones and has no duplicates', () => {
  const zones = zoneOptions('Asia/Calcutta').map(({ value }) => value);
  expect(zones.slice(0, 2)).toEqual(['Europe/Kaliningrad', 'Europe/Moscow']);
  expect(zones.slice(0, 13).map(zoneLabel).join()).not.toMatch(/\//);
  expect(zones).toEqual(expect.arrayContaining([...Intl.supportedValuesOf('timeZone'), 'Asia/Calcutta']));
  expect(new Set(zones).size).toBe(zones.length);
});
