import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { limitConnections } from '@propusk/overload/connection-limit';
import { memoryPressure } from '@propusk/overload/memory-pressure';
import { addressesOf } from '@propusk/overload/networks';
import { queuePipelines, TrackedResponse } from '@propusk/overload/pipeline-queue';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import type { Metrics } from './metrics.ts';

/** Milliseconds that a client may take to send a request, and its head. */
const REQUEST_MS = 30_000;
const HEAD_MS = 10_000;
/** On a brief listener: milliseconds for a request, for its head, and for an idle connection. */
const BRIEF_MS = 3_000;
/** Longer than the 60 s for which nginx keeps an idle connection, so that the api never closes a connection in use by nginx. */
const KEEP_ALIVE_MS = 72_000;
/** The api closes a connection whose response makes no progress for this many ms. Responses fit the kernel's buffers: slow readers keep theirs. */
const STALLED_MS = 30_000;
const RETRY_SECONDS = 5;

export interface ListenerOptions {
  /** The limit of connections. */
  readonly sockets: number;
  /** Addresses and networks of reverse proxies. */
  readonly trustProxy: readonly string[];
  readonly metrics: Metrics;
  /** Whether requests have no body and clients close the connection after the response, as on HTTP_PORT. */
  readonly brief?: boolean;
  /** Whether it speaks TLS. It has no certificate yet. */
  readonly secure?: boolean;
}

/** The HTTP server of the api: one request at a time on each connection, and a limited number of connections. */
export function createListener(
  handler: RequestListener,
  { sockets, trustProxy, metrics, brief = false, secure = false }: ListenerOptions,
): Server {
  const settings = {
    headersTimeout: brief ? BRIEF_MS : HEAD_MS,
    requestTimeout: brief ? BRIEF_MS : REQUEST_MS,
    keepAliveTimeout: brief ? BRIEF_MS : KEEP_ALIVE_MS,
    // How often Node checks the two timeouts above.
    connectionsCheckingInterval: 2_000,
    ServerResponse: TrackedResponse,
  };
  const server = secure
    ? createTlsServer({ ...settings, handshakeTimeout: HEAD_MS }, handler)
    : createServer(settings, handler);
  const ready = secure ? 'secureConnection' : 'connection';
  const connections = queuePipelines(server, STALLED_MS, ready);
  server.on(ready, (socket: Socket) => connections.serve(socket));
  // While memory is short, the api answers 503 instead: a refused connection explains nothing to a user.
  limitConnections(server, {
    most: sockets,
    isShort: () => false,
    isProxy: addressesOf(trustProxy),
    displaces: brief,
    onRefused: metrics.connectionRefused,
  });
  metrics.watch(connections);
  return server;
}

/**
 * Answers 503 with Retry-After while memory is short, before the token lookup and the upload of the body.
 * @param memory the limit of heap and buffers, in bytes
 */
export function shedLoad(app: FastifyInstance, memory: number, metrics: Metrics): void {
  const isShort = memoryPressure(memory);
  app.addHook('onRequest', (request, _reply, done) => {
    // A failed health check would make a balancer remove the whole api.
    if (request.url !== '/api/health' && isShort()) {
      metrics.shed();
      return done(new AppError('overloaded', { retryAfter: RETRY_SECONDS }));
    }
    done();
  });
}
