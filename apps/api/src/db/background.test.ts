import { expect, test, vi } from 'vitest';
import { repeat, startWorkers } from './background.ts';

test('repeated work does not report a failure that equals the failure of the previous run', async () => {
  const faults = ['away', 'away', 'other', null, 'other'];
  const seen: string[] = [];
  const work = async () => {
    const fault = faults.shift() ?? null;
    if (fault !== null) throw new Error(fault);
  };
  const repeating = repeat(60_000, work, (error) => void seen.push((error as Error).message));
  while (faults.length > 0) await repeating.tick();
  await repeating.close();
  expect(seen).toEqual(['away', 'other', 'other']);
});

test('several `tick` calls during a run cause one further run', async () => {
  const work = vi.fn<() => Promise<void>>(() => new Promise((resolve) => setTimeout(resolve, 20)));
  const repeating = repeat(60_000, work, () => {});
  await Promise.resolve();
  await Promise.all([repeating.tick(), repeating.tick(), repeating.tick()]);
  await repeating.close();
  expect(work).toHaveBeenCalledTimes(2);
});

test('workers run at most `parallel` jobs at once, and a close waits for the aborted jobs', async () => {
  let waiting = 10;
  let running = 0;
  const onError = vi.fn<() => void>();
  const workers = startWorkers({
    ...{ parallel: 3, ms: 60_000, poll: async () => {}, onError },
    claim: async () => (waiting > 0 ? waiting-- : null),
    work: (_, closing) => {
      running++;
      return new Promise((_, refuse) =>
        closing.addEventListener('abort', () =>
          setTimeout(() => {
            running--;
            refuse(new Error('aborted'));
          }, 20),
        ),
      );
    },
  });
  await vi.waitUntil(() => running === 3);
  workers.wake();
  await workers.close();
  expect([running, waiting, onError.mock.calls]).toEqual([0, 7, []]);
});
