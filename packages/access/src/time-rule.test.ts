import { execFileSync } from 'node:child_process';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { describe, expect, test } from 'vitest';
import { TimeRule } from './time-rule.ts';

const DAY = 1_440;
const WEEK = 7 * DAY;
const at = (text: string) => Date.parse(text);
const rule = (windows: [number, number][] | null, zone = 'Europe/Moscow', from = null as number | null) =>
  new TimeRule({ from, until: null, zone, windows });
/** Minutes since Monday 0:00. @param day 0 for Monday */
const minute = (day: number, hour: number, min = 0) => day * DAY + hour * 60 + min;
const workdays = [0, 1, 2, 3, 4].map((day): [number, number] => [minute(day, 9), minute(day, 18)]);
/** What the rule says, as text. */
const told = (one: TimeRule, moment: string) => {
  const state = one.at(at(moment));
  const until = Number.isFinite(state.until) ? new Date(state.until).toISOString() : 'never';
  return `${state.open ? 'open' : state.reason} until ${until}`;
};

describe('an interval of instants', () => {
  const from = at('2026-03-01T00:00:00Z');
  const until = at('2026-04-01T00:00:00Z');
  const one = new TimeRule({ from, until, zone: 'Europe/Moscow', windows: null });

  test.each([
    ['2026-02-28T23:59:59.999Z', 'not_yet until 2026-03-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00Z', 'open until 2026-04-01T00:00:00.000Z'],
    ['2026-03-31T23:59:59.999Z', 'open until 2026-04-01T00:00:00.000Z'],
    ['2026-04-01T00:00:00Z', 'right_ended until never'],
    ['2026-02-01T00:00:00Z', 'not_yet until 2026-03-01T00:00:00.000Z'],
  ])('at %s the rule says: %s', (moment, expected) => {
    expect(told(one, moment)).toBe(expected);
  });

  test('without a known time every rule is closed', () => {
    expect(one.at(Number.NaN)).toMatchObject({ open: false, reason: 'clock_unknown' });
    expect(rule(null).at(Number.NaN)).toMatchObject({ open: false, reason: 'clock_unknown' });
  });
});

describe('weekly windows', () => {
  test.each([
    // 2 March 2026 is a Monday. Moscow is three hours ahead of UTC.
    ['Monday 8:59', '2026-03-02T05:59:59Z', 'outside_hours until 2026-03-02T06:00:00.000Z'],
    ['Monday 9:00', '2026-03-02T06:00:00Z', 'open until 2026-03-02T15:00:00.000Z'],
    ['Monday 18:00', '2026-03-02T15:00:00Z', 'outside_hours until 2026-03-03T06:00:00.000Z'],
    ['Friday 18:00', '2026-03-06T15:00:00Z', 'outside_hours until 2026-03-09T06:00:00.000Z'],
  ])('working hours on %s', (_, moment, expected) => {
    expect(told(rule(workdays), moment)).toBe(expected);
  });

  test.each([
    ['Sunday 22:00', '2026-03-01T19:00:00Z', 'open until 2026-03-02T03:00:00.000Z'],
    ['Monday 5:59', '2026-03-02T02:59:00Z', 'open until 2026-03-02T03:00:00.000Z'],
    ['Monday 6:00', '2026-03-02T03:00:00Z', 'outside_hours until 2026-03-08T19:00:00.000Z'],
  ])('a window of Sunday over midnight is open or closed on %s', (_, moment, expected) => {
    expect(told(rule([[minute(6, 22), minute(7, 6)]]), moment)).toBe(expected);
  });

  test.each([
    // Berlin skips 2:00 to 3:00 on 29 March 2026, and repeats 2:00 to 3:00 on 25 October 2026.
    [
      'a skipped start',
      [2, 30, 5, 0],
      '2026-03-29T00:59:59Z',
      'outside_hours until 2026-03-29T01:00:00.000Z',
    ],
    ['a skipped start', [2, 30, 5, 0], '2026-03-29T01:00:00Z', 'open until 2026-03-29T03:00:00.000Z'],
    ['a skipped end', [1, 0, 2, 30], '2026-03-29T00:30:00Z', 'open until 2026-03-29T01:00:00.000Z'],
    ['a repeated hour, first', [2, 0, 3, 0], '2026-10-25T00:00:00Z', 'open until 2026-10-25T02:00:00.000Z'],
    [
      'a repeated half hour, first',
      [2, 0, 2, 30],
      '2026-10-25T00:00:00Z',
      'open until 2026-10-25T00:30:00.000Z',
    ],
    [
      'a repeated half hour, between',
      [2, 0, 2, 30],
      '2026-10-25T00:30:00Z',
      'outside_hours until 2026-10-25T01:00:00.000Z',
    ],
    [
      'a repeated half hour, second',
      [2, 0, 2, 30],
      '2026-10-25T01:00:00Z',
      'open until 2026-10-25T01:30:00.000Z',
    ],
  ] as const)('a change of the offset: %s', (_, [h1, m1, h2, m2], moment, expected) => {
    expect(told(rule([[minute(6, h1, m1), minute(6, h2, m2)]], 'Europe/Berlin'), moment)).toBe(expected);
  });

  test('a moment between two milliseconds, one day before a change of the offset, gets an answer', () => {
    const one = rule([[minute(4, 22), minute(5, 3)]], 'Europe/Berlin');
    expect(one.at(at('2026-10-24T01:00:00Z') + 0.4)).toMatchObject({ open: false });
    expect(one.at(at('2026-03-28T01:00:00Z') + 0.4)).toMatchObject({ open: true });
  });

  test('adjacent windows count as one', () => {
    const one = rule(
      Array.from({ length: 50 }, (_, i): [number, number] => [i * 10, i * 10 + 10]),
      'UTC',
    );
    expect(told(one, '2026-03-02T00:00:00Z')).toBe('open until 2026-03-02T08:20:00.000Z');
  });

  test('a window that the change of the offset skips whole does not open on that day', () => {
    const one = rule([[minute(6, 2, 15), minute(6, 2, 45)]], 'Europe/Berlin');
    expect(told(one, '2026-03-28T12:00:00Z')).toBe('outside_hours until 2026-04-05T00:15:00.000Z');
  });

  test('a zone that this system does not know denies', () => {
    expect(rule([[0, WEEK]], 'Europe/Nowhere').at(0)).toMatchObject({ reason: 'outside_hours' });
  });

  test('windows that cover the whole week are always open, and an empty list of windows is never open', () => {
    expect(rule([[0, WEEK]]).at(at('2026-03-02T05:59:59Z')).open).toBe(true);
    expect(rule([]).at(at('2026-03-02T05:59:59Z')).open).toBe(false);
  });
});

/** Zones with changes of whole hours, half hours, before and after midnight, and without changes. */
const zones = [
  'Europe/Moscow',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
];
const more = ['Asia/Kathmandu', 'Asia/Kolkata', 'Pacific/Apia', 'America/Havana', 'Africa/Cairo', 'UTC'];
const START = at('2024-01-01T00:00:00Z');
const END = at('2034-01-01T00:00:00Z');

/** The changes of a zone's offset by zdump(8): the first moment, and the offset in ms from then on. */
function changesOf(zone: string): { at: number; offset: number }[] {
  const lines = execFileSync('/usr/bin/zdump', ['-v', '-c', '2020,2036', zone], { encoding: 'utf8' }).split(
    '\n',
  );
  const changes = lines.flatMap((line) => {
    const found = /\s(\w{3} \w{3}\s+\d+ [\d:]+ \d{4}) UTC? = .* gmtoff=(-?\d+)/.exec(line);
    return found === null ? [] : [{ at: Date.parse(`${found[1]} UTC`), offset: Number(found[2]) * 1_000 }];
  });
  return [{ at: Number.NEGATIVE_INFINITY, offset: changes[0]?.offset ?? offsetNow(zone) }, ...changes];
}

/** The offset of a zone without changes. */
function offsetNow(zone: string): number {
  const hours = execFileSync('/usr/bin/date', ['+%:z'], { env: { TZ: zone }, encoding: 'utf8' }).trim();
  const [, sign, h, m] = /^([+-])(\d+):(\d+)$/.exec(hours) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(h) * 60 + Number(m)) * 60_000;
}

/**
 * An independent implementation of weekly windows: it compares the local day and time with each window, at the offset that zdump
 * prints.
 */
function reference(
  windows: [number, number][],
  changes: { at: number; offset: number }[],
  moment: number,
): boolean {
  const { offset } = changes.findLast((change) => change.at <= moment) ?? { offset: 0 };
  const local = new Date(moment + offset);
  const day = (local.getUTCDay() + 6) % 7;
  const clock = local.getUTCHours() * 60 + local.getUTCMinutes();
  return windows.some(([start, end]) => {
    const [first, from, length] = [Math.floor(start / DAY), start % DAY, end - start];
    const since = ((day - first + 7) % 7) * DAY + clock - from;
    return (since >= 0 && since < length) || since + WEEK < length;
  });
}

/** A generator with a seed (mulberry32). */
function random(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * most);
  };
}

describe.each([...zones, ...more])('random windows in %s', (zone) => {
  const changes = changesOf(zone);
  const next = random(zone.length);
  const windows = () =>
    Array.from({ length: 1 + next(5) }, (): [number, number] => {
      const start = next(WEEK);
      return [start, start + 1 + next(next(2) === 0 ? 600 : 3 * DAY)];
    });
  /** Half of the moments are within two days of a change of the offset. */
  const moment = () => {
    const near = changes[1 + next(Math.max(1, changes.length - 1))]?.at;
    return near === undefined || next(2) === 0
      ? START + next(END - START)
      : near + next(4 * DAY * 60_000) - 2 * DAY * 60_000;
  };

  test('a rule is open at the same moments as in an independent implementation', () => {
    for (let i = 0; i < quickOrSoak(500, 100_000); i++) {
      const mine = windows();
      const now = moment() + next(100) / 100;
      expect([now, mine, rule(mine, zone).at(now).open]).toEqual([now, mine, reference(mine, changes, now)]);
    }
  });

  test('`until` is the first change between open and closed that a search minute by minute finds', () => {
    for (let i = 0; i < quickOrSoak(20, 2_000); i++) {
      const mine = windows();
      const now = moment();
      const open = reference(mine, changes, now);
      let walked = now - (now % 60_000);
      const last = now + 8 * DAY * 60_000;
      do walked += 60_000;
      while (walked < last && reference(mine, changes, walked) === open);
      expect([now, mine, rule(mine, zone).at(now).until]).toEqual([now, mine, Math.min(walked, last)]);
    }
  });
});
