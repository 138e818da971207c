import { expect, test } from 'vitest';
import { createKeyedLimiter } from './keyed-limiter.ts';

test('the keyed limiter runs two tasks of a key at once without delaying other keys', async () => {
  const queue = createKeyedLimiter(2, 2);
  const log: string[] = [];
  const releases = new Map<string, () => void>();
  const run = (key: number, name: string) =>
    queue(key, async () => {
      log.push(name);
      await new Promise<void>((resolve) => releases.set(name, resolve));
      return name;
    });
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  const done = [run(1, 'a'), run(1, 'b'), run(1, 'c'), run(1, 'd')];
  const other = run(2, 'x');
  await expect(run(1, 'e')).rejects.toMatchObject({ code: 'busy' });
  await turn();
  expect(log).toEqual(['a', 'b', 'x']);
  releases.get('b')?.();
  await turn();
  expect(log).toEqual(['a', 'b', 'x', 'c']);
  for (const name of ['a', 'c', 'x']) releases.get(name)?.();
  await turn();
  releases.get('d')?.();
  expect(await Promise.all([...done, other])).toEqual(['a', 'b', 'c', 'd', 'x']);
});

test('the keyed limiter frees the slot of a task that fails', async () => {
  const queue = createKeyedLimiter(1, 1);
  const fail = () => queue(1, async () => Promise.reject(new Error('no')));
  await expect(fail()).rejects.toThrow('no');
  await expect(fail()).rejects.toThrow('no');
  expect(await queue(1, async () => 'yes')).toBe('yes');
});
