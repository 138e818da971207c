import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Nobody new for so long counts as nobody coming. nginx leaves one that failed alone for a second at least. */
const QUIET_MS = 250;
/** Balancers that never fall quiet are waited for no longer. */
const TURN_AWAY_MS = 3_000;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Has balancers turn elsewhere before the port closes; resolves when it may. A listener that closes resets whoever is
     * in the kernel's queue, and a balancer may not repeat a POST that was reset. So first, for `ms`, health is 503 and
     * each answer ends its connection, which empties balancers that ask health. Then connections that bring a GET are
     * ended without an answer: a balancer that only notices failures repeats it elsewhere and leaves us alone for a while,
     * and we go in that silence. With 0 ms there is no balancer to think of, and all is served on until the close.
     */
    drain(ms: number): Promise<void>;
  }
}

/** Adds `drain` to a server. To be called before other hooks. @returns whether it is about to stop */
export function prepareShutdown(app: FastifyInstance): () => boolean {
  let draining = false;
  let turnsAway = false;
  let cameAt = 0;
  app.server.on('connection', () => {
    cameAt = performance.now();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!turnsAway || (request.method !== 'GET' && request.method !== 'HEAD')) return done();
    reply.hijack();
    request.raw.socket.destroy();
  });
  // A request that was here before the stop keeps no connection open behind its answer.
  app.addHook('onSend', async (_request, reply) => {
    if (draining) reply.header('connection', 'close');
  });
  app.addHook('preClose', async () => {
    draining = true;
  });
  app.decorate('drain', async (ms: number) => {
    draining = true;
    if (ms === 0) return;
    await sleep(ms);
    turnsAway = true;
    const late = performance.now() + TURN_AWAY_MS;
    cameAt = performance.now();
    while (performance.now() < late) {
      await sleep(QUIET_MS / 5);
      // Right behind the loop's look at its sockets: whoever has knocked was let in.
      await turn();
      if (performance.now() - cameAt > QUIET_MS) return;
    }
  });
  return () => draining;
}
