import { expect, test } from 'vitest';
import { AbortSignalLite } from './abort-signal-lite.ts';

const why = new Error('why');

test('abort() calls every listener once, and a second abort() does not replace the reason', () => {
  const stopping = new AbortSignalLite();
  const told: string[] = [];
  const left = () => told.push('left');
  stopping.addEventListener('abort', () => told.push(`one ${stopping.reason?.message}`));
  stopping.addEventListener('abort', left);
  stopping.addEventListener('abort', () => told.push('other'));
  stopping.removeEventListener('abort', left);
  expect([stopping.aborted, stopping.throwIfAborted()]).toEqual([false, undefined]);
  stopping.abort(why);
  stopping.abort(new Error('again'));
  stopping.addEventListener('abort', () => told.push('late'));
  expect(told).toEqual(['one why', 'other']);
  expect(stopping.aborted).toBe(true);
  expect(() => stopping.throwIfAborted()).toThrow(why);
});

test('an abort listener that throws does not stop the other listeners, and its error is reported as uncaught', async () => {
  const stopping = new AbortSignalLite();
  let told = false;
  stopping.addEventListener('abort', () => {
    throw why;
  });
  stopping.addEventListener('abort', () => (told = true));
  const usual = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  const uncaught = new Promise((resolve) => process.once('uncaughtException', resolve));
  stopping.abort(why);
  expect(told).toBe(true);
  expect(await uncaught).toBe(why);
  for (const listener of usual) process.on('uncaughtException', listener);
});
