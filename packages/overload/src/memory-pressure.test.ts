import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { memoryPressure } from './memory-pressure.ts';

const MIB = 1024 * 1024;

test('memory pressure begins at nine tenths of the limit and ends below eight tenths', async () => {
  const { heapUsed, external } = process.memoryUsage();
  const limit = heapUsed + external + 400 * MIB;
  const isShort = memoryPressure(limit);
  expect(isShort()).toBe(false);
  let held: Buffer | null = Buffer.alloc(limit - heapUsed - external);
  await expect.poll(isShort).toBe(true);
  expect(held.length).toBeGreaterThan(0);
  held = null;
  // V8 frees a large buffer within some allocations.
  for (let i = 0; i < 200 && isShort(); i++) {
    Buffer.alloc(10 * MIB);
    await sleep(25);
  }
  expect(isShort()).toBe(false);
});
