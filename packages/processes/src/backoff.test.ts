import { expect, test } from 'vitest';
import { Backoff } from './backoff.ts';

test('a pause is twice the one before up to the maximum, and the first one again after a success', () => {
  const pauses = new Backoff(200, 1_000);
  expect([1, 2, 3, 4, 5].map(() => pauses.next())).toEqual([200, 400, 800, 1_000, 1_000]);
  pauses.reset();
  expect(pauses.next()).toBe(200);
});

test('a signal ends the wait', async () => {
  await expect(new Backoff(60_000, 60_000).wait(AbortSignal.timeout(1))).resolves.toBeUndefined();
});
