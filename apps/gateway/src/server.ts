import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { AccessIndex } from '@propusk/access/snapshot';
import { readCertificate } from '@propusk/certificate/certificate-files';
import { type AdminServer, startAdminServer } from './admin-server.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { localLimits } from './policy/concurrency-limits.ts';
import { startFeed } from './policy/feed.ts';
import { openSnapshots } from './policy/snapshot.ts';
import { descriptorLimit, shareDescriptors } from './processes/descriptors.ts';
import { isFirst, type Slots, waitForFeed } from './processes/generation.ts';
import type { createWorkers } from './processes/primary.ts';
import { createProxyServer, type ProxyServer } from './proxy-server.ts';

/**
 * The gateway: an HTTP proxy that carries the requests that policies allow.
 *
 *   feed ─> snapshots ─> proxy-server.ts, or processes/primary.ts: every change authorizes all active requests again
 */

/**
 * `listen()` also starts to follow the feed. A process that succeeds or replaces another one accepts connections once
 * `waitForFeed` allows it.
 */
export interface Gateway extends Pick<ProxyServer, 'listen' | 'adopt' | 'close'> {
  readonly index: AccessIndex;
  /** The number of tunnels and requests in progress in this process. */
  readonly activeRequests: () => number;
  /** Whether the snapshot is too old, so that every request is denied. */
  readonly stale: () => boolean;
  /** The port of health and metrics; null before `listen()` and without GATEWAY_METRICS_PORT. */
  readonly metricsPort: () => number | null;
  /** Takes the snapshot file and the port of metrics, which the process before has released. */
  own(): Promise<void>;
  /**
   * Stops accepting, and follows the feed until the last connection has closed.
   * @param released is called once the snapshot file and the port of metrics are free
   */
  drain(released: () => void): Promise<void>;
}

/**
 * Creates a gateway. It listens and connects after `listen()`.
 * @param workers makes the processes that serve instead of this one
 * @throws SettingError for a certificate that cannot be used
 */
export async function createGateway(
  config: Config,
  log: Log,
  slots: Slots = { own: 0, others: [] },
  workers?: typeof createWorkers,
): Promise<Gateway> {
  // Read the certificate first: an invalid one must stop the start before anything else happens.
  if (config.tls !== undefined) await readCertificate(config.tls);
  const keys = gatewayKeys(config.secret);
  const snapshots = openSnapshots(config, keys.snapshot, log, isFirst(slots) || slots.replaces);
  const shares = shareDescriptors(descriptorLimit(), config.sockets);
  const limits = localLimits(shares.limits);
  const options = { config, keys, snapshots, limits, shares, worker: 0, slots, log };
  const relay = workers?.(config, snapshots, slots, log);
  const serving = relay?.workers ?? (await createProxyServer(options));
  const { activeRequests, records } = serving;
  const feedLog = log.child({});
  let stopFeed = async () => {};
  let admin: AdminServer | null = null;
  async function startAdmin(): Promise<void> {
    if (config.metricsPort !== undefined)
      admin = await startAdminServer(serving, snapshots, config.metricsPort);
  }

  return {
    index: snapshots.index,
    activeRequests: () => activeRequests.size,
    stale: snapshots.stale,
    metricsPort: () => admin && admin.port,
    async listen(bind) {
      if (isFirst(slots)) await startAdmin();
      const { mayAccept, ...awaited } = waitForFeed(slots);
      stopFeed = startFeed({
        apiUrl: config.apiUrl,
        key: keys.feed,
        snapshots: relay?.snapshots ?? snapshots,
        recheck: activeRequests.recheck,
        end: (event) => records.end(event),
        ...awaited,
        log: feedLog,
      });
      await mayAccept;
      return serving.listen(bind);
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
      await stopFeed();
      await admin?.stop();
      snapshots.close();
    },
  };
}
