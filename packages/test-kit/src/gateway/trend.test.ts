import { expect, test } from 'vitest';
import { fitTrend, type Sample } from './trend.ts';

const HOUR = 3_600_000;
const BLOCK = 60_000;

/** Two hours of samples, one every 10 s, with a wave of a block's length and 5 % noise. */
function samples(percentPerHour: number): Sample[] {
  let seed = 1;
  const noise = () => ((seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5) * 10;
  return Array.from({ length: 720 }, (_, n) => {
    const ms = n * 10_000;
    const wave = 20 * Math.sin((2 * Math.PI * ms) / BLOCK);
    return { ms, value: 100 + (percentPerHour * ms) / HOUR + wave + noise() };
  });
}

test('fitTrend finds a growth of 3 % an hour in two hours of samples that wave by 20 %', () => {
  const { percentPerHour, error } = fitTrend(samples(3), BLOCK);
  expect(Math.abs(percentPerHour - 3)).toBeLessThan(error + 0.15);
  expect(percentPerHour - error).toBeGreaterThan(1);
});

test('fitTrend finds no growth in samples without growth', () => {
  const { percentPerHour, error, mean } = fitTrend(samples(0), BLOCK);
  expect(Math.abs(percentPerHour)).toBeLessThanOrEqual(error);
  expect(error).toBeLessThan(1);
  expect(mean).toBeCloseTo(100, 0);
});

test('fitTrend returns an infinite error for two blocks', () => {
  expect(fitTrend(samples(3).slice(0, 12), BLOCK).error).toBe(Infinity);
});
