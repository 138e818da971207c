import { createServer, type RequestListener, type Server } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { limitConnections } from '@propusk/overload/connection-limit';
import { memoryPressure } from '@propusk/overload/memory-pressure';
import { queuePipelines, TrackedResponse } from '@propusk/overload/pipeline-queue';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import type { Metrics } from './metrics.ts';

/** A client may take so long for a request, and so long for its head. */
const REQUEST_MS = 30_000;
const HEAD_MS = 10_000;
/** Longer than the 60 s for which nginx keeps an idle connection, so that the api never closes one that nginx uses. */
const KEEP_ALIVE_MS = 72_000;
/** No response of the api is larger than the kernel's buffers, so that a slow reader is not mistaken for one who does not read. */
const STALLED_MS = 30_000;
const RETRY_SECONDS = 5;

export interface ListenerOptions {
  /** The most connections. */
  readonly sockets: number;
  /** Addresses and networks of reverse proxies. */
  readonly trustProxy: readonly string[];
  readonly metrics: Metrics;
}

/** The HTTP server of the api: one request at a time on each connection, and a limited number of connections. */
export function createListener(
  handler: RequestListener,
  { sockets, trustProxy, metrics }: ListenerOptions,
): Server {
  const server = createServer(
    {
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // How often Node looks for clients past the two limits above.
      connectionsCheckingInterval: 2_000,
      ServerResponse: TrackedResponse,
    },
    handler,
  );
  const connections = queuePipelines(server, STALLED_MS);
  server.on('connection', (socket) => connections.serve(socket));
  // The api answers 503 while memory is short, since a refused connection says nothing to a person.
  limitConnections(server, {
    most: sockets,
    isShort: () => false,
    isProxy: proxies(trustProxy),
    onRefused: metrics.connectionRefused,
  });
  metrics.watch(connections);
  return server;
}

/**
 * Answers 503 with Retry-After while memory is short, before a token is looked up or a body is read.
 * @param memory what heap and buffers may fill, in bytes
 */
export function shedLoad(app: FastifyInstance, memory: number, metrics: Metrics): void {
  const isShort = memoryPressure(memory);
  app.addHook('onRequest', (request, _reply, done) => {
    // A balancer that asks for health would take the whole api away.
    if (request.url !== '/api/health' && isShort()) {
      metrics.shed();
      return done(new AppError('overloaded', { retryAfter: RETRY_SECONDS }));
    }
    done();
  });
}

function proxies(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
