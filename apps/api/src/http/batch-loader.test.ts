import { expect, test } from 'vitest';
import { createBatchLoader } from './batch-loader.ts';

const key = (name: string) => Buffer.from(name);
const hex = (name: string) => key(name).toString('hex');

/** A batch loader whose queries are resolved by the test. */
function byHand() {
  const asked: { keys: string[]; answer: (found: string[]) => void; fail: (error: Error) => void }[] = [];
  const find = createBatchLoader<string>(
    (keys) =>
      new Promise((resolve, reject) => {
        asked.push({
          keys: keys.map(String),
          answer: (found) => resolve(new Map(found.map((name) => [hex(name), `found ${name}`]))),
          fail: reject,
        });
      }),
  );
  return { asked, find };
}

test('lookups made in one tick of the event loop share one query', async () => {
  const { asked, find } = byHand();
  const answers = Promise.all(['a', 'b', 'a', 'none'].map((name) => find(key(name))));
  await expect.poll(() => asked.length).toBe(1);
  expect(asked[0]?.keys).toEqual(['a', 'b', 'none']);
  asked[0]?.answer(['a', 'b']);
  expect(await answers).toEqual(['found a', 'found b', 'found a', undefined]);
});

test('a lookup made during a running batch gets its result from the next batch', async () => {
  const { asked, find } = byHand();
  const early = find(key('a'));
  await expect.poll(() => asked.length).toBe(1);
  const late = [find(key('a')), find(key('b'))];
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toHaveLength(1);
  asked[0]?.answer(['a']);
  expect(await early).toBe('found a');
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]?.keys).toEqual(['a', 'b']);
  // The row of key `a` was deleted during the first batch, so the second lookup of `a` must not reuse the first result.
  asked[1]?.answer(['b']);
  expect(await Promise.all(late)).toEqual([undefined, 'found b']);
});

test('a failed batch rejects its own lookups, but not later lookups', async () => {
  const { asked, find } = byHand();
  const first = [find(key('a')), find(key('b'))];
  await expect.poll(() => asked.length).toBe(1);
  const second = find(key('c'));
  asked[0]?.fail(new Error('away'));
  for (const one of first) await expect(one).rejects.toThrow('away');
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.answer(['c']);
  expect(await second).toBe('found c');
  const third = find(key('d'));
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.answer(['d']);
  expect(await third).toBe('found d');
});

test('a batch that never ends does not block later lookups', async () => {
  const { asked, find } = byHand();
  void find(key('a'));
  await expect.poll(() => asked.length).toBe(1);
  const later = find(key('b'));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.answer(['b']);
  expect(await later).toBe('found b');
});
