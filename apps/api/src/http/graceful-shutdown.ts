import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/**
 * The port closes after this many milliseconds without a new connection. The value is below one second, because nginx avoids a
 * failed upstream for at least one second.
 */
const QUIET_MS = 250;
/** Milliseconds after which the port closes even if connections keep coming. */
const REJECT_MS = 3_000;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Makes load balancers stop sending requests, and resolves when the caller may close the port. Closing the port earlier would
     * reset connections in the kernel's accept queue, and a balancer may not retry a POST that was reset.
     * 1. For `ms` milliseconds, the health endpoint answers 503. Balancers with health checks stop sending requests.
     * 2. The server closes the connection of each GET without a response. A balancer without health checks retries the GET at
     * another process and stops using this process for a while. This phase ends when no new connections arrive.
     * If `ms` is 0, because there is no balancer, both phases are skipped.
     */
    drain(ms: number): Promise<void>;
  }
}

/** Adds the method `drain` to a server that has no hooks yet. @returns a function that tells whether the server is draining */
export function prepareShutdown(app: FastifyInstance): () => boolean {
  let draining = false;
  let rejectsReads = false;
  let lastConnectionAt = 0;
  // Every connection restarts the quiet period, even a refused one, because more connections can wait in the accept queue.
  app.server.on('connection', () => {
    lastConnectionAt = performance.now();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!rejectsReads || (request.method !== 'GET' && request.method !== 'HEAD')) return done();
    reply.hijack();
    request.raw.socket.destroy();
  });
  // A request in flight when draining begins must not keep its connection alive.
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
    rejectsReads = true;
    const deadline = performance.now() + REJECT_MS;
    lastConnectionAt = performance.now();
    while (performance.now() < deadline) {
      await sleep(QUIET_MS / 5);
      // Continues after the poll phase of the event loop, in which pending connections are accepted.
      await turn();
      if (performance.now() - lastConnectionAt > QUIET_MS) return;
    }
  });
  return () => draining;
}
