import { expect, test } from 'vitest';
import { instantOf, nearestEnd, shownDay, stateOf } from './moments.ts';

const MOSCOW = 'Europe/Moscow';
/** Saturday, 28 November 2026, 15:00 in Moscow. */
const now = Date.parse('2026-11-28T12:00:00Z');

test('an end at midnight is shown as the day before, and a start at midnight as the day that starts', () => {
  expect(shownDay('2026-12-31T21:00:00.000Z', MOSCOW)).toBe('2026-12-31');
  expect(shownDay('2026-12-31T21:00:00.000Z', MOSCOW, false)).toBe('2027-01-01');
  expect(new Date(instantOf('2026-12-31', MOSCOW)).toISOString()).toBe('2026-12-31T21:00:00.000Z');
});

const policy = {
  validFrom: null,
  validUntil: null,
  windows: [],
  timeZone: MOSCOW,
  open: true,
  changesAt: null,
};
const closed = { ...policy, windows: [[540, 1080]] as [number, number][], open: false };

test.each([
  [policy, 'Сейчас открыта', ''],
  [
    { ...closed, open: true, changesAt: new Date(2026, 10, 28, 18).toISOString() },
    'Сейчас открыта, закроется сегодня в 18:00',
    'Открыта до 18:00',
  ],
  [
    { ...closed, changesAt: new Date(2026, 10, 29, 9).toISOString() },
    'Сейчас закрыта, откроется завтра в 9:00',
    'Закрыта до завтра, 9:00',
  ],
  [
    { ...closed, changesAt: new Date(2026, 10, 30, 9).toISOString() },
    'Сейчас закрыта, откроется 30 ноября в 9:00',
    'Закрыта до 30 ноября, 9:00',
  ],
  [
    { ...policy, validUntil: '2026-12-31T21:00:00Z', changesAt: '2026-12-31T21:00:00Z' },
    'Сейчас открыта, действует до 31.12.2026',
    'До 31.12.2026',
  ],
  [{ ...policy, open: false, validUntil: '2026-11-27T21:00:00Z' }, 'Срок истёк 27.11.2026', 'Срок истёк'],
  [
    { ...policy, open: false, validFrom: '2026-12-04T21:00:00Z', changesAt: '2026-12-04T21:00:00Z' },
    'Сейчас закрыта, начнёт действовать 05.12.2026',
    'С 05.12.2026',
  ],
])('the state of the policy %o is «%s»', (given, sentence, short) => {
  expect(stateOf(given, now)).toMatchObject({ sentence, short });
});

test('finds the earliest end of the memberships, or none if no membership ends', () => {
  expect(
    nearestEnd([{ until: '2027-01-01T00:00:00Z' }, { until: null }, { until: '2026-12-01T00:00:00Z' }]),
  ).toBe('2026-12-01T00:00:00Z');
  expect(nearestEnd([{ until: null }])).toBeUndefined();
});
