import { afterEach, expect, test, vi } from 'vitest';
import { dayAgo, startOf } from '../../entities/company/zoned-days.ts';
import { parsePeriod, periodBefore, queryOf } from './period.ts';

/** The days of a period in the company's time zone, whatever the browser's is. */

afterEach(() => void vi.useRealTimers());

test.each([
  ['2026-03-14', 'Europe/Moscow', '2026-03-13T21:00:00.000Z'],
  // The clocks go forward at 01:00 UTC on 29 March, and back at 01:00 UTC on 25 October.
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  // Midnight does not exist on this day: the clocks go from 00:00 to 01:00.
  ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
  ['2026-03-02', 'Pacific/Kiritimati', '2026-03-01T10:00:00.000Z'],
  ['2026-03-02', 'Pacific/Pago_Pago', '2026-03-02T11:00:00.000Z'],
  ['2026-03-02', 'Asia/Kathmandu', '2026-03-01T18:15:00.000Z'],
])('the day %s begins in the time zone %s at %s', (day, zone, start) => {
  expect(startOf(day, zone).toISOString()).toBe(start);
});

test('today and the period of seven days end with the present day of the time zone', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-01T10:30:00Z') });
  expect(dayAgo(0, 'Pacific/Kiritimati')).toBe('2026-03-02');
  expect(dayAgo(1, 'Pacific/Pago_Pago')).toBe('2026-02-27');
  expect(queryOf({}, 'Pacific/Kiritimati')).toEqual({
    from: '2026-02-23T10:00:00.000Z',
    to: '2026-03-02T10:00:00.000Z',
    step: 'day',
  });
});

test('a day of 23 hours is one day, and is shown by the hour', () => {
  expect(queryOf({ days: 'own', from: '2026-03-29', to: '2026-03-29' }, 'Europe/Berlin')).toEqual({
    from: '2026-03-28T23:00:00.000Z',
    to: '2026-03-29T22:00:00.000Z',
    step: 'hour',
  });
});

test('the previous period has the same number of days, also across a change to daylight saving time', () => {
  const week = queryOf({ days: 'own', from: '2026-03-29', to: '2026-03-31' }, 'Europe/Berlin');
  expect(week && periodBefore(week, 'Europe/Berlin')).toEqual({
    from: '2026-03-25T23:00:00.000Z',
    to: '2026-03-28T23:00:00.000Z',
    step: 'day',
  });
});

test('a custom period with a missing day stays custom, and has no query', () => {
  expect(parsePeriod({ days: 'own', from: '', to: 'x' })).toEqual({ days: 'own' });
  expect(parsePeriod({ from: '2026-03-29' })).toEqual({ days: 'own', from: '2026-03-29' });
  expect(queryOf({ days: 'own' }, 'Europe/Berlin')).toBeNull();
  expect(queryOf({ days: 'own', from: '2026-03-29' }, 'Europe/Berlin')).toBeNull();
});
