import { expect, test } from 'vitest';
import { hoursOf, oddOf, painted, sayWindows, type Windows, windowsOf, workingHours } from './windows.ts';

const WEEK = 10_080;

test.each<[string, Windows, number]>([
  ['no times', [], 168],
  ['working hours', workingHours, 45],
  ['a window over midnight', [[1320, 1800]], 8],
  ['a window over the end of the week', [[WEEK - 120, WEEK + 180]], 5],
  [
    'two windows of a day',
    [
      [540, 780],
      [840, 1080],
    ],
    8,
  ],
])('a grid of hours shows and returns %s', (_, windows, count) => {
  const hours = hoursOf(windows);
  expect(hours.filter(Boolean)).toHaveLength(count);
  expect(windowsOf(hours, [])).toEqual(windows);
});

test('hours on both sides of the end of the week are one window', () => {
  expect(hoursOf([[WEEK - 60, WEEK + 60]]).flatMap((open, hour) => (open ? [hour] : []))).toEqual([0, 167]);
});

test('a grid without open hours gives null, not an empty list, because an empty list means always', () => {
  expect(windowsOf(hoursOf(null), [])).toBeNull();
  expect(windowsOf(hoursOf([]), [])).toEqual([]);
});

test('a change of the grid keeps windows that do not begin and end at full hours', () => {
  const windows: Windows = [
    [540, 1080],
    [1980, 2535],
  ];
  expect(oddOf(windows)).toEqual([[1980, 2535]]);
  const hours = painted(hoursOf(windows), 9, 9, false);
  expect(windowsOf(hours, oddOf(windows))).toEqual([
    [600, 1080],
    [1980, 2535],
  ]);
});

test('a rectangle of hours is painted from any corner', () => {
  const none = hoursOf(null);
  expect(windowsOf(painted(none, 9, 4 * 24 + 17, true), [])).toEqual(workingHours);
  expect(windowsOf(painted(none, 4 * 24 + 9, 17, true), [])).toEqual(workingHours);
});

test.each<[Windows, string]>([
  [[], 'Всегда'],
  [workingHours, 'Пн–Пт 9:00–18:00'],
  [[[570, 1080]], 'Пн 9:30–18:00'],
  [
    [
      [540, 780],
      [840, 1080],
      [1980, 2220],
      [2280, 2520],
    ],
    'Пн–Вт 9:00–13:00, 14:00–18:00',
  ],
  [
    [
      [540, 1080],
      [7200, 8640],
    ],
    'Пн 9:00–18:00; Сб 0:00–24:00',
  ],
  [[[4 * 1440 + 1320, 5 * 1440 + 360]], 'Пт 22:00–6:00'],
  [[[4 * 1440 + 1080, WEEK + 540]], 'Пт 18:00–Пн 9:00'],
  [[[0, WEEK]], 'Пн 0:00–Вс 24:00'],
])('the windows %j are called «%s»', (windows, text) => {
  expect(sayWindows(windows)).toBe(text);
});
