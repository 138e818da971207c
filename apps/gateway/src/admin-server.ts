import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SnapshotView } from './policy/snapshot.ts';
import type { ProxyServer } from './proxy-server.ts';

/**
 * Health and metrics on a loopback listener: `/health` for a load balancer's agent or a process manager, `/metrics` for
 * Prometheus. Neither takes credentials.
 */

export interface AdminServer {
  readonly port: number;
  /** A second call does nothing. */
  stop(): Promise<void>;
}

/** Starts the listener. @param port 0 lets the system choose */
export async function startAdminServer(
  { registry, serving, stopping }: Pick<ProxyServer, 'registry' | 'serving' | 'stopping'>,
  snapshots: SnapshotView,
  port: number,
): Promise<AdminServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, async (req, res) => {
    const path = req.url?.replace(/\?.*/, '');
    if (req.method !== 'GET' && req.method !== 'HEAD') return void res.writeHead(405).end();
    if (path === '/metrics') {
      const counted = await registry();
      const text = await counted.metrics();
      return void res.writeHead(200, { 'content-type': counted.contentType }).end(text);
    }
    if (path !== '/health') return void res.writeHead(404).end();
    const status = stopping()
      ? 'stopping'
      : !serving()
        ? 'no_worker'
        : snapshots.stale()
          ? 'snapshot_stale'
          : 'ok';
    const ageMs = snapshots.ageMs();
    const body = {
      status,
      companies: snapshots.index.companies.size,
      // JSON has no infinity: null before the first feed event.
      snapshotAgeSeconds: Number.isFinite(ageMs) ? Math.round(ageMs / 1000) : null,
    };
    res.writeHead(status === 'ok' ? 200 : 503, { 'content-type': 'application/json' });
    res.end(JSON.stringify(body));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
