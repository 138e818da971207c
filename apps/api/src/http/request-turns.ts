import { networkOf } from '@propusk/overload/networks';
import type { FastifyInstance } from 'fastify';

/**
 * At most this many requests begin in one turn of the event loop. libuv accepts one connection per turn, so
 * long turns delay new clients. Without the limit, 300 clients that repeated wrong sign-ins made a new client
 * wait 20 s. With a limit of 2, the buffers of 1,000 clients that sent endless bodies filled the memory.
 */
const REQUESTS_A_TURN = 8;
/**
 * For at most this many turns in a row, the server only accepts connections and begins no request. Without
 * the limit, a client that keeps opening connections would block all requests.
 */
const ACCEPTING_TURNS = 32;

/**
 * Limits the requests that begin in one turn of the event loop. The server first accepts new connections, then begins requests of
 * different networks round robin. The caller must call `limitConnections` first.
 */
export function limitRequestsPerTurn(app: FastifyInstance): void {
  // Grows with waiting requests of clients. Bound: one request with an unread body for each connection (SOCKETS). At the bound:
  // further connections are refused
  const lanes = new Map<string, (() => void)[]>();
  let begun = 0;
  let scheduled = false;
  let accepted = false;
  let acceptingTurns = 0;
  // `accepted` includes connections that `limitConnections` refuses, because new clients wait behind refused connections in the
  // accept queue. When refused connections did not count, a flood of connections made a new client wait 2 s instead of 0.4 s.
  app.server.on('connection', () => {
    accepted = true;
  });

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    scheduled = false;
    if (accepted && lanes.size > 0 && acceptingTurns < ACCEPTING_TURNS) {
      accepted = false;
      acceptingTurns++;
      return schedule();
    }
    acceptingTurns = 0;
    begun = 0;
    for (const [network, waiting] of lanes) {
      if (begun === REQUESTS_A_TURN) break;
      begun++;
      lanes.delete(network);
      const begin = waiting.shift();
      // Moves the network to the end of the map, so that the loop serves the other networks first.
      if (waiting.length > 0) lanes.set(network, waiting);
      begin?.();
    }
    if (begun > 0) schedule();
  }

  app.addHook('onRequest', (request, _reply, done) => {
    if (begun < REQUESTS_A_TURN && lanes.size === 0) {
      begun++;
      schedule();
      return done();
    }
    const network = networkOf(request.ip);
    const waiting = lanes.get(network);
    if (waiting === undefined) lanes.set(network, [done]);
    else waiting.push(done);
    schedule();
  });
}
