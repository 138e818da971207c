import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitRequestsPerTurn } from './request-turns.ts';

const CROWD = 80;

let app: FastifyInstance;
let port: number;
beforeEach(async () => {
  app = fastify({ trustProxy: true });
  limitRequestsPerTurn(app);
  app.get('/', async () => {
    // Blocks the event loop, as parsing and validation do.
    for (const until = performance.now() + 5; performance.now() < until; );
    return 'served';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterEach(() => app.close());

function get(agent: Agent | false, from: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', agent, headers: { 'x-forwarded-for': from } }, (reply) => {
      reply.resume().once('end', resolve);
    })
      .once('error', reject)
      .end();
  });
}

test('the server soon answers a new client while many clients of another network send requests', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: CROWD });
  const crowded = { served: 0, stopped: false };
  const crowd = Array.from({ length: CROWD }, async (_, n) => {
    while (!crowded.stopped) {
      await get(agent, `203.0.113.${n}`);
      crowded.served++;
    }
  });
  while (crowded.served < CROWD) await get(false, '192.0.2.1');
  const before = crowded.served;
  await get(false, '198.51.100.1');
  expect(crowded.served - before).toBeLessThan(CROWD / 2);
  crowded.stopped = true;
  await Promise.all(crowd);
  agent.destroy();
});

test('the server answers every request of many concurrent clients', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: CROWD });
  const crowd = Array.from({ length: CROWD }, (_, n) => get(agent, `203.0.${n}.1`));
  await expect(Promise.all(crowd)).resolves.toHaveLength(CROWD);
  agent.destroy();
});
