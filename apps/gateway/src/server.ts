import { hostname } from 'node:os';
import { gatewayKeys } from '@propusk/access/gateway-secret';
import type { AccessIndex } from '@propusk/access/snapshot';
import { startAdminServer } from './admin-server.ts';
import { LIMITS, localLimits } from './concurrency-limits.ts';
import type { Config } from './config.ts';
import { startFeed } from './feed.ts';
import type { Log } from './log.ts';
import { createProxyServer } from './proxy-server.ts';
import { openSnapshots } from './snapshot.ts';
import { readCertificate } from './tls.ts';

/**
 * The gateway: an HTTP proxy that carries what the rule of access allows. Here it is one process; cluster/primary.ts is the
 * same with several.
 *
 *   feed ─> snapshots ─> proxy-server.ts: every change is judged again for all that is live
 */

export interface Gateway {
  readonly index: AccessIndex;
  /** How many tunnels and requests are being carried. */
  readonly activeRequests: () => number;
  /** Whether what it knows is too old to be believed, and all is denied. */
  readonly stale: () => boolean;
  /** Where health and metrics are; null before `listen()` and without GATEWAY_METRICS_PORT. */
  readonly metricsPort: () => number | null;
  /** Starts to serve and to follow the feed. @returns the port */
  listen(): Promise<number>;
  /** Stops accepting, lets what is being carried end until the deadline, then ends it. */
  close(deadlineMs?: number): Promise<void>;
}

/**
 * Puts a gateway together. Nothing listens or connects before `listen()`.
 * @throws SettingError for a certificate that cannot be used
 */
export async function createGateway(config: Config, log: Log): Promise<Gateway> {
  // Before anything else is touched.
  if (config.tls !== undefined) await readCertificate(config.tls);
  const keys = gatewayKeys(config.secret);
  const snapshots = await openSnapshots(config, keys.snapshot, log);
  const serving = await createProxyServer({ config, keys, snapshots, limits: localLimits(LIMITS), log });
  const { activeRequests, metrics, draining } = serving;
  const feedLog = log.child({});
  /** What runs while it serves, and how each is ended. */
  // grows: not, the program fills it as it starts
  const running: (() => unknown)[] = [];
  let metricsPort: number | null = null;

  return {
    index: snapshots.index,
    activeRequests: () => activeRequests.size,
    stale: snapshots.stale,
    metricsPort: () => metricsPort,
    async listen() {
      if (config.metricsPort !== undefined) {
        const observed = { registry: () => metrics.registry, snapshots, draining };
        const observing = await startAdminServer(observed, config.metricsPort);
        metricsPort = observing.port;
        running.push(observing.stop);
      }
      const port = await serving.listen();
      running.push(
        startFeed({
          apiUrl: config.apiUrl,
          key: keys.feed,
          gateway: feedName(port),
          snapshots,
          recheck: activeRequests.recheck,
          log: feedLog,
        }),
      );
      return port;
    },
    async close(deadlineMs) {
      // The api is often stopped together with us; that it is away no longer concerns anybody.
      feedLog.level = 'error';
      await serving.close(deadlineMs);
      for (const end of running.splice(0).toReversed()) await end();
      await snapshots.close();
    },
  };
}

/** What a gateway is called at the api. */
export function feedName(port: number): string {
  return `${hostname()}:${port}`.slice(-100);
}
