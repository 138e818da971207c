import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { GatewayKeys } from '@propusk/access/gateway-secret';
import { createDialer } from '@propusk/dial/dial';
import { TrackedResponse, trackConnections } from '@propusk/overload/client-connection';
import { limitConnections } from '@propusk/overload/connection-limit';
import { memoryPressure } from '@propusk/overload/memory-pressure';
import { type ActiveRequests, createActiveRequests } from './active-requests.ts';
import { createAuthorize } from './authorize.ts';
import { trackClients } from './clients.ts';
import type { ConcurrencyLimits } from './concurrency-limits.ts';
import type { Config } from './config.ts';
import { createConnectionListener } from './connection-listener.ts';
import type { Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { IDLE_MS } from './origin-request.ts';
import { StreamSource } from './peekable-source.ts';
import { ProxyError } from './proxy-error.ts';
import { createProxyHandler } from './proxy-handler.ts';
import type { SnapshotView } from './snapshot.ts';
import { followCertificate, readCertificate } from './tls.ts';
import { isWebSocket } from './upgrade.ts';

/**
 * The part of a gateway that serves clients, by what it is told of who may reach what:
 *
 *   request ─> authenticate ─> judge ─> CONNECT: tunnel ─┬─> dial ─> site
 *      │            │            │      http://: forward ┤      └──> the company's proxy ─> site
 *      │            │            │      Upgrade: upgrade ┘
 *      └────────────┴────────────┴─> refusal: a status line, a reason, a page
 */

export interface ProxyServer {
  readonly activeRequests: ActiveRequests;
  readonly metrics: Metrics;
  readonly draining: () => boolean;
  /** Starts to accept. @returns the port */
  listen(): Promise<number>;
  /** Stops accepting, lets what is being carried end until the deadline, then ends it. */
  close(deadlineMs?: number): Promise<void>;
}

export interface ProxyServerOptions {
  readonly config: Config;
  readonly keys: GatewayKeys;
  readonly snapshots: SnapshotView;
  readonly limits: ConcurrencyLimits;
  readonly log: Log;
}

export const DRAIN_MS = 5_000;
const HEAD_MS = 10_000;

const settings = {
  maxHeaderSize: 32_768,
  headersTimeout: HEAD_MS,
  // How often the line above is looked at; by itself Node does it every 30 s.
  connectionsCheckingInterval: 1_000,
  // Uploads take what they take; silence in one ends it (origin-http.ts).
  requestTimeout: 0,
  keepAliveTimeout: 60_000,
  noDelay: true,
  insecureHTTPParser: false,
  shouldUpgradeCallback: isWebSocket,
  ServerResponse: TrackedResponse,
};

/**
 * Puts it together. Nothing listens before `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createProxyServer(options: ProxyServerOptions): Promise<ProxyServer> {
  const { config, keys, snapshots, log } = options;
  const certificate = config.tls === undefined ? undefined : await readCertificate(config.tls);
  const activeRequests = createActiveRequests(
    createAuthorize(snapshots.index, snapshots.stale),
    options.limits,
  );
  const secure =
    certificate === undefined
      ? undefined
      : createTlsServer({ ...settings, ...certificate, handshakeTimeout: HEAD_MS });
  const server = secure ?? createServer(settings);
  const ready = secure === undefined ? 'connection' : 'secureConnection';
  const connections = trackConnections(server, IDLE_MS, ready);
  const clients = trackClients(server, secure !== undefined);
  const metrics = createMetrics({ activeRequests, clients, connections, snapshots });
  let draining = false;
  /** Where it listens: asked once, for it is a call to the system and every dial wants to know. */
  let own: AddressInfo | null = null;
  /** What runs while it serves, and how each is ended. */
  // grows: not, the program fills it as it starts
  const running: (() => void)[] = [];

  const door = createProxyHandler({
    keys,
    activeRequests,
    dial: metrics.timed(createDialer({ ...config, self: () => own })),
    via: `propusk-${randomBytes(6).toString('hex')}`,
    consoleUrl: config.consoleUrl,
    log,
    metrics,
    draining: () => draining,
    asked: clients.asked,
    parseTunnel: (client, first) => connections.serve(client, { first, answersHalfClosed: true }),
    responseOf: (client) => connections.of(client)?.response ?? null,
  });
  server.on(
    ready,
    createConnectionListener({
      connect: door.onConnect,
      parse: (client, first) => connections.serve(client, { first }),
      silent: door.onSilent,
      silenceMs: HEAD_MS,
    }),
  );
  server.on('request', door.onRequest);
  // By itself Node asks for the body before anybody has been asked for a name.
  server.on('checkContinue', door.onRequest);
  const behind = (head: Buffer, client: Duplex) =>
    Buffer.concat([head, connections.of(client)?.detach() ?? head.subarray(0, 0)]);
  server.on('upgrade', (req, client, head) => door.onUpgrade(req, client, behind(head, client)));
  server.on('connect', (req, client, head) => {
    const asked = new StreamSource(client, behind(head, client));
    return door.onConnect(req.url ?? '', req.headers['proxy-authorization'], client, asked);
  });
  server.on('clientError', door.onClientError);
  limitConnections(server, {
    most: config.sockets,
    isShort: memoryPressure(config.memory),
    onRefused: metrics.connectionRefused,
  });

  return {
    activeRequests,
    metrics,
    draining: () => draining,
    async listen() {
      server.listen(config.port, config.host);
      await once(server, 'listening');
      own = server.address() as AddressInfo;
      if (secure !== undefined && config.tls !== undefined && certificate !== undefined) {
        running.push(followCertificate(secure, config.tls, certificate, log));
      }
      // Time alone takes rights away too: a token's end, a snapshot's age.
      const watch = setInterval(() => activeRequests.recheck(), 1_000);
      running.push(() => clearInterval(watch));
      return own.port;
    },
    async close(deadlineMs = DRAIN_MS) {
      draining = true;
      const closed = once(server, 'close');
      server.close();
      const idle = setInterval(() => {
        server.closeIdleConnections();
        clients.endSilent();
      }, 50);
      const deadline = setTimeout(() => {
        activeRequests.abortAll(new ProxyError('stopping'));
        server.closeAllConnections();
      }, deadlineMs);
      await closed;
      clearInterval(idle);
      clearTimeout(deadline);
      for (const end of running.splice(0).toReversed()) end();
    },
  };
}
