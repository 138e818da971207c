import { expect, test } from 'vitest';
import { createCompanyQueue } from './company-queue.ts';

test('the first task of a company waits for at most one task of each other company', async () => {
  const queue = createCompanyQueue(2, 100, 4);
  const finished: number[] = [];
  let running = 0;
  let most = 0;
  const run = (company: number) =>
    queue(company, async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve));
      running -= 1;
      finished.push(company);
    });
  const hostile = [1, 2, 3, 4, 5, 6].flatMap((company) => Array.from({ length: 50 }, () => run(company)));
  await run(7);
  expect(finished.indexOf(7)).toBeLessThanOrEqual(4 + 6);
  expect(most).toBe(4);
  await Promise.all(hostile);
});
