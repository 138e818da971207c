import { expect, test } from 'vitest';
import { createBatchLoader } from './batch-loader.ts';

const key = (name: string) => Buffer.from(name);
const hex = (name: string) => key(name).toString('hex');

/** A finder whose questions are answered by hand. */
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

test('those of one moment are one question, and each gets its own answer', async () => {
  const { asked, find } = byHand();
  const answers = Promise.all(['a', 'b', 'a', 'none'].map((name) => find(key(name))));
  await expect.poll(() => asked.length).toBe(1);
  expect(asked[0]?.keys).toEqual(['a', 'b', 'none']);
  asked[0]?.answer(['a', 'b']);
  expect(await answers).toEqual(['found a', 'found b', 'found a', undefined]);
});

test('who asks while a question is under way is answered by the next one alone', async () => {
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
  // It ended meanwhile: the answer to the first question is not theirs.
  asked[1]?.answer(['b']);
  expect(await Promise.all(late)).toEqual([undefined, 'found b']);
});

test('a question that fails fails for those who asked it, and for nobody after', async () => {
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

test('a question that is never answered holds up nobody who asks later', async () => {
  const { asked, find } = byHand();
  void find(key('a'));
  await expect.poll(() => asked.length).toBe(1);
  const later = find(key('b'));
  await expect.poll(() => asked.length, { timeout: 5_000 }).toBe(2);
  asked[1]?.answer(['b']);
  expect(await later).toBe('found b');
});
