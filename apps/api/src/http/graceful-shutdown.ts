import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Milliseconds without a new connection before the port closes. nginx avoids a failed upstream for at least a second. */
const QUIET_MS = 250;
/** Milliseconds after which the port closes even if connections keep coming. */
const REJECT_MS = 3_000;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Makes balancers route elsewhere, and resolves when the port may close. Closing a listener resets the connections in
     * the kernel's accept queue, and a balancer may not retry a POST that was reset. So first, for `ms` milliseconds, health
     * answers 503 and each response closes its connection: balancers with health checks stop sending. Then each GET gets its
     * connection closed without a response: a balancer without health checks retries it elsewhere and avoids this process
     * for a while. The port closes during that pause. With 0 ms, for a server without a balancer, it resolves at once.
     */
    drain(ms: number): Promise<void>;
  }
}

/** Adds `drain` to a server. Call it before other hooks are added. @returns a function: whether the server is draining */
export function prepareShutdown(app: FastifyInstance): () => boolean {
  let draining = false;
  let rejectsReads = false;
  let lastConnectionAt = 0;
  // A connection refused by the limit counts too, because others may wait behind it in the accept queue.
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
      // Continue right after the event loop's poll phase, when pending connections have been accepted.
      await turn();
      if (performance.now() - lastConnectionAt > QUIET_MS) return;
    }
  });
  return () => draining;
}
