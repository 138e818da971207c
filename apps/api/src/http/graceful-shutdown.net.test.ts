import { setTimeout as sleep } from 'node:timers/promises';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareShutdown } from './graceful-shutdown.ts';

let app: FastifyInstance;
let isLeaving: () => boolean;
let url: string;

beforeEach(async () => {
  app = fastify();
  isLeaving = prepareShutdown(app);
  app.route({ method: ['GET', 'HEAD', 'POST'], url: '/', handler: async () => 'done' });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

/** @returns the status and the Connection header, or 'no answer' */
async function ask(method: 'GET' | 'HEAD' | 'POST'): Promise<string> {
  const asked = fetch(url, { method, headers: { connection: 'keep-alive' } });
  return asked.then(
    (reply) => `${reply.status} ${reply.headers.get('connection')}`,
    () => 'no answer',
  );
}

test('a draining server sends Connection: close, and later drops GET requests without a response', async () => {
  expect(await ask('GET')).toBe('200 keep-alive');
  expect(isLeaving()).toBe(false);
  const left = app.drain(200);
  expect(isLeaving()).toBe(true);
  expect(await ask('GET')).toBe('200 close');
  await sleep(250);
  expect(await ask('GET')).toBe('no answer');
  expect(await ask('HEAD')).toBe('no answer');
  expect(await ask('POST')).toBe('200 close');
  await left;
});

test('a draining server closes after a quiet period, or at its deadline under steady traffic', async () => {
  let came = 0;
  let lastCame = 0;
  const first = { goneAt: 0 };
  const left = app.drain(1).then(() => (first.goneAt = performance.now()));
  const began = performance.now();
  while (first.goneAt === 0 && performance.now() - began < 1_000) {
    await sleep(50);
    lastCame = performance.now();
    expect(await ask('POST')).toBe('200 close');
    came++;
  }
  await left;
  expect(came).toBeGreaterThan(1);
  // If the machine stalls, requests come too late and the drain ends during the loop, so the quiet period cannot be measured.
  if (first.goneAt > lastCame) expect(first.goneAt - lastCame).toBeGreaterThan(200);

  const second = { goneAt: 0 };
  const again = app.drain(1).then(() => (second.goneAt = performance.now()));
  while (second.goneAt === 0) {
    await sleep(20);
    await ask('POST');
  }
  await again;
});

test('a drain of 0 ms resolves at once', async () => {
  await app.drain(0);
  expect(await ask('GET')).toBe('200 close');
});
