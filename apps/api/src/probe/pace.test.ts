import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

const never = new AbortController().signal;

/** Waits until `turns` requests to an address are admitted. @returns the milliseconds that the wait took */
async function timed(pace: ReturnType<typeof createPace>, address: string, turns: number): Promise<number> {
  const start = performance.now();
  for (let turn = 0; turn < turns; turn += 1) await pace.turn(address, never);
  return performance.now() - start;
}

test('requests to one address are limited to 5 per second after a burst of 20', async () => {
  const pace = createPace();
  const [first, other] = await Promise.all([timed(pace, '192.0.2.1', 25), timed(pace, '192.0.2.2', 20)]);
  expect(first).toBeGreaterThan(900);
  expect(other).toBeLessThan(first);
});

test('an address that answered 429 gets requests at half the rate', async () => {
  const pace = createPace();
  await timed(pace, '192.0.2.1', 20);
  pace.slow('192.0.2.1');
  expect(await timed(pace, '192.0.2.1', 3)).toBeGreaterThan(500);
});

test('a host gets at most 1,000 requests in ten minutes', () => {
  const pace = createPace();
  for (let n = 0; n < 1_000; n += 1) expect(pace.count('crm.example.ru')).toBe(true);
  expect(pace.count('crm.example.ru')).toBe(false);
  expect(pace.count('wiki.example.ru')).toBe(true);
});

test('a request of an aborted probe stops waiting for the rate limit', async () => {
  const pace = createPace();
  await timed(pace, '192.0.2.1', 20);
  await expect(pace.turn('192.0.2.1', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
});
