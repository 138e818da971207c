import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { hostname } from 'node:os';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { AccessIndex } from '@propusk/access/snapshot';
import { createDialer } from '@propusk/dial/dial';
import { Refusal } from '@propusk/dial/refusal';
import { trackClients } from './clients.ts';
import type { Config } from './config.ts';
import { createDoor } from './door.ts';
import { startFeed } from './feed.ts';
import { createJudge } from './judge.ts';
import { createLive } from './live.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { startObserving } from './observe.ts';
import { openSnapshots } from './snapshot.ts';
import { followCertificate, readCertificate } from './tls.ts';
import { isWebSocket } from './upgrade.ts';

/**
 * The gateway: an HTTP proxy that carries what the rule of access allows.
 *
 *   request ─> authenticate ─> judge ─> CONNECT: tunnel ─┬─> dial ─> site
 *      │            │            │      http://: forward ┤      └──> the company's proxy ─> site
 *      │            │            │      Upgrade: upgrade ┘
 *      └────────────┴────────────┴─> refusal: a status line, a reason, a page
 *
 *   feed ─> snapshots ─> judge: every change is judged again for all that is live
 */

export interface Gateway {
  readonly index: AccessIndex;
  /** How many tunnels and requests are being carried. */
  readonly live: () => number;
  /** Whether what it knows is too old to be believed, and all is denied. */
  readonly stale: () => boolean;
  /** Where health and metrics are; null before `listen()` and without GATEWAY_METRICS_PORT. */
  readonly metricsPort: () => number | null;
  /** Starts to serve and to follow the feed. @returns the port */
  listen(): Promise<number>;
  /** Stops accepting, lets what is being carried end until the deadline, then ends it. */
  close(deadlineMs?: number): Promise<void>;
}

const LIMITS = { perCaller: 512, perCompany: 5_000, total: 20_000 };
const DRAIN_MS = 5_000;
const HEAD_MS = 10_000;

const settings = {
  maxHeaderSize: 32_768,
  headersTimeout: HEAD_MS,
  // How often the line above is looked at; by itself Node does it every 30 s.
  connectionsCheckingInterval: 1_000,
  // Uploads take what they take; silence in one ends it (forward.ts).
  requestTimeout: 0,
  keepAliveTimeout: 60_000,
  noDelay: true,
  insecureHTTPParser: false,
  shouldUpgradeCallback: isWebSocket,
};

/**
 * Puts a gateway together. Nothing listens or connects before `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createGateway(config: Config, log: Log): Promise<Gateway> {
  const certificate = config.tls === undefined ? undefined : await readCertificate(config.tls);
  const keys = gatewayKeys(config.secret);
  const snapshots = await openSnapshots(config, keys.snapshot, log);
  const live = createLive(createJudge(snapshots.index, snapshots.stale), LIMITS);
  const secure =
    certificate === undefined
      ? undefined
      : createTlsServer({ ...settings, ...certificate, handshakeTimeout: HEAD_MS });
  const server = secure ?? createServer(settings);
  const clients = trackClients(server);
  const metrics = createMetrics({ live, clients, snapshots });
  let draining = false;

  const door = createDoor({
    keys,
    live,
    dial: metrics.timed(createDialer({ ...config, self: ownAddress })),
    via: `propusk-${randomBytes(6).toString('hex')}`,
    consoleUrl: config.consoleUrl,
    log,
    metrics,
    draining: () => draining,
    asked: clients.asked,
    // By the event behind which the server's parser starts.
    parse: (client) => server.emit(secure === undefined ? 'connection' : 'secureConnection', client),
  });
  server.on('request', door.onRequest);
  // By itself Node asks for the body before anybody has been asked for a name.
  server.on('checkContinue', door.onRequest);
  server.on('upgrade', door.onUpgrade);
  server.on('connect', door.onConnect);
  server.on('clientError', door.onClientError);

  function ownAddress() {
    const address = server.address();
    return address === null || typeof address === 'string' ? null : address;
  }

  const feedLog = log.child({});
  /** What runs while it serves, and how each is ended. */
  const running: (() => unknown)[] = [];
  let metricsPort: number | null = null;

  return {
    index: snapshots.index,
    live: () => live.size,
    stale: snapshots.stale,
    metricsPort: () => metricsPort,
    async listen() {
      if (config.metricsPort !== undefined) {
        const observed = { metrics, snapshots, draining: () => draining };
        const observing = await startObserving(observed, config.metricsPort);
        metricsPort = observing.port;
        running.push(observing.stop);
      }
      server.listen(config.port, config.host);
      await once(server, 'listening');
      const port = ownAddress()?.port ?? config.port;
      const gateway = `${hostname()}:${port}`.slice(-100);
      running.push(
        startFeed({ apiUrl: config.apiUrl, key: keys.feed, gateway, snapshots, live, log: feedLog }),
      );
      if (secure !== undefined && config.tls !== undefined && certificate !== undefined) {
        running.push(followCertificate(secure, config.tls, certificate, log));
      }
      // Time alone takes rights away too: a token's end, a snapshot's age.
      const watch = setInterval(() => live.recheck(), 1_000);
      running.push(() => clearInterval(watch));
      return port;
    },
    async close(deadlineMs = DRAIN_MS) {
      draining = true;
      // The api is often stopped together with us; that it is away no longer concerns anybody.
      feedLog.level = 'error';
      const closed = once(server, 'close');
      server.close();
      const idle = setInterval(() => {
        server.closeIdleConnections();
        clients.endSilent();
      }, 50);
      const deadline = setTimeout(() => {
        live.abortAll(new Refusal('stopping'));
        server.closeAllConnections();
      }, deadlineMs);
      await closed;
      clearInterval(idle);
      clearTimeout(deadline);
      for (const end of running.splice(0).toReversed()) await end();
      await snapshots.close();
    },
  };
}
