import { expect, test } from 'vitest';
import { lastDay, openTimes, until, when } from './ru/when.ts';

/** A time in the time zone of this machine; months count from 1. */
const at = (year: number, month: number, day: number, hour = 0, minute = 0) =>
  new Date(year, month - 1, day, hour, minute).toISOString();
const now = new Date(2026, 10, 28, 15, 30);

test.each([
  [at(2026, 11, 28, 18), 'сегодня в 18:00', 'до 18:00'],
  [at(2026, 11, 28, 15, 35), 'сегодня в 15:35', 'до 15:35'],
  [at(2026, 11, 29, 9), 'завтра в 9:00', 'до завтра, 9:00'],
  [at(2026, 11, 29, 0, 5), 'завтра в 0:05', 'до завтра, 0:05'],
  [at(2026, 11, 30, 9), '30 ноября в 9:00', 'до 30 ноября, 9:00'],
  [at(2026, 12, 5, 9, 7), '5 декабря в 9:07', 'до 5 декабря, 9:07'],
  [at(2027, 1, 5, 9), '5 января 2027 года в 9:00', 'до 5 января 2027 года, 9:00'],
  [at(2026, 11, 29), 'завтра в 0:00', 'до конца дня'],
  [at(2026, 11, 30), '30 ноября в 0:00', 'до конца завтрашнего дня'],
  [at(2026, 12, 6), '6 декабря в 0:00', 'до конца 5 декабря'],
  [at(2027, 1, 1), '1 января 2027 года в 0:00', 'до конца 31 декабря'],
  [at(2026, 11, 27, 9), '27 ноября в 9:00', 'до 27 ноября, 9:00'],
])('%s is worded as «%s» and «%s»', (iso, begin, end) => {
  expect([when(iso, now), until(iso, now)]).toEqual([begin, end]);
});

test('on the last day of a year, the next day is tomorrow and needs no year', () => {
  expect(when(at(2027, 1, 1, 9), new Date(2026, 11, 31, 23, 59))).toBe('завтра в 9:00');
});

test('for an end at midnight, the last day is the day before; for another end, it is the day of the end', () => {
  expect(lastDay(at(2026, 12, 6), now)).toBe('5 декабря');
  expect(lastDay(at(2026, 12, 5, 18), now)).toBe('5 декабря');
  expect(lastDay(at(2028, 1, 1), now)).toBe('31 декабря 2027');
});

test.each([
  [true, null, null],
  [true, at(2026, 11, 28, 18), 'Открыт до 18:00'],
  [false, at(2026, 11, 29, 9), 'Откроется завтра в 9:00'],
  [false, null, 'Срок доступа истёк'],
])('a site whose state `open` is %s until %s is described by «%s»', (open, until, text) => {
  expect(openTimes(open, until, now)).toBe(text);
});
