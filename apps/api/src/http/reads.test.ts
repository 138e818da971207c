import { listVisits } from '@propusk/contract/records';
import { listSites } from '@propusk/contract/sites';
import { expect, test } from 'vitest';
import type { Actor } from '../core/actor.ts';
import { createCalls, createReads } from './reads.ts';

const actor = (userId: number, companyId: number) => ({ userId, companyId }) as Actor;

/** Makes tasks that run until `end()`, and counts the tasks that each company has begun. */
function works() {
  const running = new Map<number, number>();
  const ended = Promise.withResolvers<void>();
  return {
    running,
    end: ended.resolve,
    of: (company: number) => async () => {
      running.set(company, (running.get(company) ?? 0) + 1);
      await ended.promise;
    },
  };
}
const turns = async () => {
  for (let n = 0; n < 50; n++) await Promise.resolve();
};

test.each([
  ['ordinary reads', listSites, [4, 4]],
  ['heavy reads', listVisits, [2, 2]],
] as const)(
  '%s: the users of a company share its limit of concurrent reads, and another company has a separate limit',
  async (_, endpoint, shares) => {
    const reads = createReads({ reads: 'ordinary' as never, heavy: 'heavy' as never });
    const { running, end, of } = works();
    const all = [1, 2].flatMap((company) =>
      Array.from({ length: 40 }, (__, n) =>
        reads(actor(company * 100 + (n % 10), company), endpoint, of(company)),
      ),
    );
    await turns();
    expect([running.get(1), running.get(2)]).toEqual(shares);
    end();
    await Promise.all(all);
    expect(running.get(1)).toBe(40);
  },
);

test('at most four ordinary reads and one heavy read of a user run at once', async () => {
  const reads = createReads({ reads: 'ordinary' as never, heavy: 'heavy' as never });
  const { running, end, of } = works();
  const all = [listSites, listVisits].flatMap((endpoint, company) =>
    Array.from({ length: 20 }, () => reads(actor(company + 1, company + 1), endpoint, of(company + 1))),
  );
  await turns();
  expect([running.get(1), running.get(2)]).toEqual([4, 1]);
  end();
  await Promise.all(all);
});

test('at most 8 write calls of one user and 32 of one company run at once', async () => {
  const calls = createCalls();
  const { running, end, of } = works();
  const all = Array.from({ length: 200 }, (_, n) =>
    n < 20 ? calls(actor(1, 1), of(1)) : calls(actor(n, 2), of(2)),
  );
  await turns();
  expect([running.get(1), running.get(2)]).toEqual([8, 32]);
  end();
  await Promise.all(all);
});
