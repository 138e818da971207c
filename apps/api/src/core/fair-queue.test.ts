import { expect, test } from 'vitest';
import { createFairQueue, type Lane, signedIn, strangers } from './fair-queue.ts';

/**
 * Creates a queue whose only slot is taken until `release` is called. `order` lists the later tasks in the
 * order in which they ran.
 */
function heldQueue(bounds: { ofLane: number; ofAll: number }) {
  const queue = createFairQueue({ atOnce: 1, ...bounds });
  const order: string[] = [];
  let release = () => {};
  void queue(strangers('192.0.2.1'), () => new Promise<void>((resolve) => (release = resolve)));
  const run = (lane: Lane, name: string) =>
    queue(lane, async () => void order.push(name)).catch(({ code }: { code: string }) => code);
  return { order, run, release: () => release() };
}
const from = (network: number) => strangers(`10.0.${network}.1`);

test('the fair queue serves networks round robin, even when one network has many waiters', async () => {
  const { run, release, order } = heldQueue({ ofLane: 10, ofAll: 100 });
  const crowd = Array.from({ length: 5 }, (_, i) => run(strangers(`10.0.1.${i}`), `crowd ${i}`));
  const others = [run(from(2), 'neighbour'), run(strangers('2001:db8::1'), 'v6')];
  release();
  await Promise.all([...crowd, ...others]);
  expect(order.slice(0, 3).toSorted()).toEqual(['crowd 0', 'neighbour', 'v6']);
});

test('the fair queue alternates between known users and unauthenticated callers', async () => {
  const { run, release, order } = heldQueue({ ofLane: 10, ofAll: 100 });
  const storm = Array.from({ length: 8 }, (_, i) => run(from(i), 'stranger'));
  const known = [1, 2, 3].map((id) => run(signedIn(id), 'known'));
  release();
  await Promise.all([...storm, ...known]);
  expect(order.slice(0, 6).filter((name) => name === 'known')).toHaveLength(3);
});

test('the fair queue refuses further tasks of a network that has reached its limit', async () => {
  const { run, release } = heldQueue({ ofLane: 2, ofAll: 100 });
  const waits = [run(from(1), 'a'), run(from(1), 'b')];
  expect(await run(from(1), 'c')).toBe('too_many_requests');
  release();
  await Promise.all(waits);
});

test('in a full fair queue, a task of a new network replaces the last task of the busiest network', async () => {
  const { run, release, order } = heldQueue({ ofLane: 3, ofAll: 4 });
  const crowd = ['a', 'b', 'c'].map((name) => run(from(1), name));
  const single = run(from(2), 'x');
  const newcomer = run(from(3), 'y');
  expect(await crowd[2]).toBe('busy');
  expect(await run(from(1), 'd')).toBe('busy');
  release();
  await Promise.all([...crowd, single, newcomer]);
  expect(order.toSorted()).toEqual(['a', 'b', 'x', 'y']);
});

test('a full fair queue refuses an unauthenticated caller and admits a known user', async () => {
  const { run, release, order } = heldQueue({ ofLane: 3, ofAll: 3 });
  const storm = [1, 2, 3].map((network) => run(from(network), `stranger ${network}`));
  expect(await run(from(4), 'stranger 4')).toBe('busy');
  const known = run(signedIn(7), 'known');
  release();
  await Promise.all([...storm, known]);
  expect(order).toContain('known');
  expect(order).toHaveLength(3);
});

test('the fair queue frees the slot of a task that fails', async () => {
  const queue = createFairQueue({ atOnce: 1, ofLane: 1, ofAll: 1 });
  await expect(queue(from(1), async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue(from(1), async () => 'yes')).toBe('yes');
});
