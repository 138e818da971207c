import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { inParts } from './in-parts.ts';

/** A fake clock in milliseconds, which only judgements advance. */
let clock = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => clock));

const MEMBERS = 100;
const members = Array.from({ length: MEMBERS }, (_, i) => i);

/** A `judge` that takes a millisecond for each member, so that a part ends after a few members. */
function judged(fails?: number) {
  const times = members.map(() => 0);
  const judge = (member: number) => {
    clock += 1;
    times[member] = (times[member] ?? 0) + 1;
    if (member === fails && times[member] === 1) throw new Error('one judgement');
  };
  return { times, walk: inParts(members, judge) };
}
const soon = (walk: (done: () => void) => void) => new Promise<void>((resolve) => walk(resolve));

test('few members are judged before the call returns', () => {
  const seen: number[] = [];
  const told: string[] = [];
  inParts([1, 2, 3], (member) => seen.push(member))(() => told.push('done'));
  expect([seen, told]).toEqual([[1, 2, 3], ['done']]);
});

test('many members are judged in several turns, and others are served between', async () => {
  const { times, walk } = judged();
  let turns = 0;
  walk();
  for (; times.at(-1) === 0; turns += 1) await turn();
  expect(times.every((count) => count === 1)).toBe(true);
  expect(turns).toBeGreaterThan(1);
});

test('calls in every turn do not keep the last member from being judged', async () => {
  const { times, walk } = judged();
  // The walk of 100 members at a millisecond each takes at most 7 turns, 16 members at once.
  for (let call = 0; call < 20; call += 1) {
    walk();
    await turn();
  }
  expect(times.at(-1)).toBeGreaterThan(0);
});

test('a call during a walk is done once every member was judged after it', async () => {
  const { times, walk } = judged();
  const first = soon(walk);
  const before = [...times];
  const second = soon(walk);
  await first;
  await second;
  expect(before[0]).toBe(1);
  expect(times.every((count, member) => count > (before[member] ?? 0))).toBe(true);
});

test('an error of one judgement leaves the others judged', async () => {
  const { times, walk } = judged(0);
  expect(() => walk()).toThrow('one judgement');
  await soon(walk);
  expect(times.slice(1).every((count) => count > 0)).toBe(true);
});

test('a walk that others hold up is finished in one turn', async () => {
  const many = Array.from({ length: 600 }, (_, i) => i);
  const seen: number[] = [];
  const walk = inParts(many, (member) => {
    clock += 1;
    seen.push(member);
  });
  walk();
  let before = 0;
  while (seen.length < many.length) {
    before = seen.length;
    await turn();
  }
  expect(seen.length - before).toBeGreaterThan(100);
});
