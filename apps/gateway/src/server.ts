import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { AccessIndex } from '@propusk/access/snapshot';
import { readCertificate } from '@propusk/certificate/certificate-files';
import { startAdminServer } from './admin-server.ts';
import { LIMITS, localLimits } from './concurrency-limits.ts';
import type { Config } from './config.ts';
import { startFeed } from './feed.ts';
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
  /** Starts to accept connections and to follow the feed. @returns the port */
  listen(): Promise<number>;
  /** Drains: stops accepting, and aborts the requests that are active after the deadline. */
  close(deadlineMs?: number): Promise<void>;
}

/**
 * Creates a gateway. It listens and connects after `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createGateway(config: Config, log: Log): Promise<Gateway> {
  // Read the certificate first: an invalid one must stop the start before anything else happens.
  if (config.tls !== undefined) await readCertificate(config.tls);
  const keys = gatewayKeys(config.secret);
  const snapshots = openSnapshots(config, keys.snapshot, log);
  const serving = await createProxyServer({
    config,
    keys,
    snapshots,
    limits: localLimits(LIMITS),
    worker: 0,
    log,
  });
  const { activeRequests, metrics, records, draining } = serving;
  const feedLog = log.child({});
  /** The functions with which close() stops what listen() started. */
  // grows: not, filled once at startup
  const running: (() => unknown)[] = [];
  let metricsPort: number | null = null;

  return {
    index: snapshots.index,
    activeRequests: () => activeRequests.size,
    stale: snapshots.stale,
    metricsPort: () => metricsPort,
    async listen() {
      if (config.metricsPort !== undefined) {
        const adminOptions = { registry: () => metrics.registry, snapshots, draining };
        const admin = await startAdminServer(adminOptions, config.metricsPort);
        metricsPort = admin.port;
        running.push(admin.stop);
      }
      const port = await serving.listen();
      running.push(
        startFeed({
          apiUrl: config.apiUrl,
          key: keys.feed,
          snapshots,
          recheck: activeRequests.recheck,
          end: (event) => records.end(event),
          log: feedLog,
        }),
      );
      return port;
    },
    async close(deadlineMs) {
      // The api is often stopped at the same time: do not warn about a lost feed.
      feedLog.level = 'error';
      await serving.close(deadlineMs);
      for (const end of running.splice(0).toReversed()) await end();
      snapshots.close();
    },
  };
}
