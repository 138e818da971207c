import { expect, test } from 'vitest';
import { layouts } from './layouts/index.ts';

const count = (values: readonly string[]) =>
  values.reduce(
    (counts, value) => counts.set(value, (counts.get(value) ?? 0) + 1),
    new Map<string, number>(),
  );

test('the laboratory has at least 60 layouts with unique names that are valid host labels', () => {
  const names = layouts.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[a-z][a-z0-9-]{0,60}[a-z0-9]$/.test(name))).toEqual([]);
});

test('the laboratory has at least 12 causes of an opening, at most 5 layouts of each, and 10 closed layouts', () => {
  const { none = 0, ...causes } = Object.fromEntries(count(layouts.map(({ cause }) => cause)));
  expect(none).toBeGreaterThanOrEqual(10);
  expect(Object.keys(causes).length).toBeGreaterThanOrEqual(12);
  expect(Object.entries(causes).filter(([, number]) => number > 5)).toEqual([]);
});
