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

/** A client must send a whole request within REQUEST_MS, and the head of the request within HEAD_MS. */
const REQUEST_MS = 30_000;
const HEAD_MS = 10_000;
/** Milliseconds for a `brief` listener: the timeout of the request head, of the whole request and of an idle connection. */
const BRIEF_MS = 3_000;
/** The api closes an idle connection after this time. nginx closes earlier, so that nginx never sends on a closed connection. */
const KEEP_ALIVE_MS = 72_000;
/** The api closes a connection whose response stalls for this many ms, unless the kernel has buffered the whole response. */
const STALLED_MS = 30_000;
const RETRY_SECONDS = 5;

export interface ListenerOptions {
  /** The maximum number of open connections. */
  readonly sockets: number;
  /** Addresses and networks of the trusted reverse proxies (TRUST_PROXY). */
  readonly trustProxy: readonly string[];
  readonly metrics: Metrics;
  /** Whether timeouts are short, and a new connection replaces an open one when `sockets` is reached. Used for HTTP_PORT. */
  readonly brief?: boolean;
  /** Whether the listener uses TLS. The caller sets the certificate later. */
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
    // The interval at which Node checks `headersTimeout` and `requestTimeout`.
    connectionsCheckingInterval: 2_000,
    ServerResponse: TrackedResponse,
  };
  const server = secure
    ? createTlsServer({ ...settings, handshakeTimeout: HEAD_MS }, handler)
    : createServer(settings, handler);
  const ready = secure ? 'secureConnection' : 'connection';
  const connections = queuePipelines(server, STALLED_MS, ready);
  server.on(ready, (socket: Socket) => connections.serve(socket));
  // No connection is refused when memory is short. `shedLoad` answers 503 instead, which is clearer to users.
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
    // Health checks never get this 503. Otherwise, a load balancer would stop using this api process.
    if (request.url !== '/api/health' && isShort()) {
      metrics.shed();
      return done(new AppError('overloaded', { retryAfter: RETRY_SECONDS }));
    }
    done();
  });
}
