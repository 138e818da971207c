import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { AccessIndex } from '@propusk/access/snapshot';
import { readCertificate } from '@propusk/certificate/certificate-files';
import { type AdminServer, startAdminServer } from './admin-server.ts';
import { localLimits } from './concurrency-limits.ts';
import type { Config } from './config.ts';
import { descriptorLimit, shareDescriptors } from './descriptors.ts';
import { startFeed } from './feed.ts';
import { type BoundSocket, isFirst, type Slots, waitForFeed } from './generation.ts';
import type { Log } from './log.ts';
import { createProxyServer } from './proxy-server.ts';
import { openSnapshots } from './snapshot.ts';

/**
 * The gateway in one process: an HTTP proxy that carries the requests that policies allow. cluster/primary.ts runs several
 * processes.
 *
 *   feed ─> snapshots ─> proxy-server.ts: every change authorizes all active requests again
 */

export interface Gateway {
  readonly index: AccessIndex;
  /** The number of tunnels and requests in progress. */
  readonly activeRequests: () => number;
  /** Whether the snapshot is too old, so that every request is denied. */
  readonly stale: () => boolean;
  /** The port of health and metrics; null before `listen()` and without GATEWAY_METRICS_PORT. */
  readonly metricsPort: () => number | null;
  /**
   * Starts to follow the feed and to accept connections; with a process before it, once the feed is up to date.
   * @param bind asks for the listening socket; undefined, or its result is, for a socket of its own @returns the port
   */
  listen(bind?: () => Promise<BoundSocket | undefined>): Promise<number>;
  /** Takes the snapshot file and the port of metrics, which the process before has released. */
  own(): Promise<void>;
  /** Sends the records that another process has left. @param slot of a process that has ended */
  adopt(slot: number): void;
  /**
   * Stops accepting, and follows the feed until the last connection has closed.
   * @param released is called once the snapshot file and the port of metrics are free
   */
  drain(released: () => void): Promise<void>;
  /** Drains: stops accepting, and aborts the requests that are active after the deadline. */
  close(deadlineMs?: number): Promise<void>;
}

/**
 * Creates a gateway. It listens and connects after `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createGateway(
  config: Config,
  log: Log,
  slots: Slots = { own: 0, others: [] },
): Promise<Gateway> {
  // Read the certificate first: an invalid one must stop the start before anything else happens.
  if (config.tls !== undefined) await readCertificate(config.tls);
  const keys = gatewayKeys(config.secret);
  const snapshots = openSnapshots(config, keys.snapshot, log, isFirst(slots) || slots.replaces);
  const shares = shareDescriptors(descriptorLimit(), config.sockets);
  const serving = await createProxyServer({
    config,
    keys,
    snapshots,
    limits: localLimits(shares.limits),
    shares,
    worker: 0,
    slots,
    log,
  });
  const { activeRequests, metrics, records, stopping } = serving;
  const feedLog = log.child({});
  /** The functions with which close() stops what listen() started. */
  // Bounded: filled once at startup
  const running: (() => unknown)[] = [];
  let admin: AdminServer | null = null;
  async function startAdmin(): Promise<void> {
    if (config.metricsPort === undefined) return;
    const options = { registry: () => metrics.registry, snapshots, stopping };
    admin = await startAdminServer(options, config.metricsPort);
  }

  return {
    index: snapshots.index,
    activeRequests: () => activeRequests.size,
    stale: snapshots.stale,
    metricsPort: () => admin && admin.port,
    async listen(bind) {
      if (isFirst(slots)) await startAdmin();
      const { mayAccept, ...awaited } = waitForFeed(slots);
      running.push(
        startFeed({
          apiUrl: config.apiUrl,
          key: keys.feed,
          snapshots,
          recheck: activeRequests.recheck,
          end: (event) => records.end(event),
          ...awaited,
          log: feedLog,
        }),
      );
      await mayAccept;
      return serving.listen(await bind?.());
    },
    async own() {
      void snapshots.own();
      await startAdmin();
    },
    adopt: serving.adopt,
    async drain(released) {
      const drained = serving.drain();
      await admin?.stop();
      snapshots.close();
      released();
      await drained;
    },
    async close(deadlineMs) {
      // The api is often stopped at the same time: do not warn about a lost feed.
      feedLog.level = 'error';
      await serving.close(deadlineMs);
      for (const end of running.splice(0).toReversed()) await end();
      await admin?.stop();
      snapshots.close();
    },
  };
}
