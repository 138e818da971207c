import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createPolicy } from '@propusk/contract/policies';
import { checkSite, getSiteCheck, type SiteCheck } from '@propusk/contract/probe';
import { createProxy } from '@propusk/contract/proxies';
import { createSite } from '@propusk/contract/sites';
import { parseNetworks } from '@propusk/dial/addresses';
import { type Daemon, freePort } from '../daemon.ts';
import { startSquid, UPSTREAM_PASSWORD, UPSTREAM_USER, type UpstreamProxy } from '../gateway/upstreams.ts';
import { startApache } from '../locks/apache.ts';
import { SITE } from '../locks/site.ts';
import { startApi, type TestApi } from './api.ts';
import type { TestDatabase } from './database.ts';

/**
 * An environment for probes: the api on a real socket with its echo, Debian's squid as a company's proxy with its own egress
 * address, and Apache as a site whose lock the tests write.
 */
export interface ProbeWorld {
  readonly api: TestApi;
  /** The URL of the api's echo for the proxies. */
  readonly echoUrl: URL;
  readonly squid: UpstreamProxy;
  /** Starts Apache with the site on loopback. */
  site(options: Parameters<typeof startApache>[0]): Promise<Site>;
  close(): Promise<void>;
}

export interface Site extends Daemon {
  /** The stored address of the site. */
  readonly address: string;
  /** Writes the site's `.htaccess`, or removes it. */
  lock(text: string | null): Promise<void>;
}

/** The egress address of squid; requests from outside come from 127.0.0.1. */
export const EGRESS = '127.0.0.5';
export const ECHO_HOST = 'echo.example.test';

/** The names of the environment: all on loopback except the address of a cloud's metadata service. */
const hosts = new Map<string, readonly string[]>([
  [ECHO_HOST, ['127.0.0.1']],
  [SITE, ['127.0.0.1']],
  ['squid.example.test', ['127.0.0.1']],
  ['liar.example.test', ['127.0.0.1']],
  ['dead.example.test', ['127.0.0.9']],
  ['metadata.example.test', ['169.254.169.254']],
  // This address is loopback too, but outside `allowNetworks`.
  ['inner.example.test', ['127.0.7.7']],
  ['mixed.example.test', ['127.0.0.1', '127.0.7.7']],
]);

/** Starts the environment. */
export async function startProbeWorld(
  serverUrl: string,
  options: {
    shared?: TestDatabase;
    settings?: NonNullable<Parameters<typeof startApi>[1]>['settings'];
    /** The listening address of the api; the default is 127.0.0.1. */
    listen?: string;
    /** Further host names for the api and squid; squid uses the first address. */
    hosts?: ReadonlyMap<string, readonly [string, ...string[]]>;
  } = {},
): Promise<ProbeWorld> {
  const port = await freePort();
  const echoUrl = new URL(`http://${ECHO_HOST}:${port}`);
  const api = await startApi(serverUrl, {
    ...(options.shared !== undefined && { shared: options.shared }),
    settings: {
      echoUrl,
      hosts: new Map([...hosts, ...(options.hosts ?? [])]),
      allowNetworks: parseNetworks('127.0.0.0/22') ?? { v4: [], v6: [] },
      ...options.settings,
    },
    runsProbes: true,
    vantageIdleS: 1,
  });
  await api.app.listen({ port, host: options.listen ?? '127.0.0.1' });
  const squid = await startSquid(
    [ECHO_HOST, SITE, ...[...(options.hosts ?? [])].map(([name, [address]]) => [name, address] as const)],
    EGRESS,
  );
  const sites: Daemon[] = [];
  return {
    api,
    echoUrl,
    squid,
    async site(given) {
      const daemon = await startApache(given);
      sites.push(daemon);
      const htaccess = join(daemon.folder, 'site', '.htaccess');
      return {
        ...daemon,
        address: `${SITE}:${daemon.port}`,
        lock: (text) => (text === null ? rm(htaccess, { force: true }) : writeFile(htaccess, text)),
      };
    },
    async close() {
      await api.close();
      await squid.stop();
      for (const site of sites) await site.stop();
    },
  };
}

/** Creates a company with one policy on one proxy: squid, unless the test gives another. */
export async function companyBehind(
  { api, squid }: Pick<ProbeWorld, 'api' | 'squid'>,
  given: { host?: string; port?: number; username?: string; password?: string } = {},
) {
  const { token } = await api.company();
  const { id: proxyId } = await api.must(token, createProxy, {
    body: {
      host: 'squid.example.test',
      port: squid.port,
      username: UPSTREAM_USER,
      password: UPSTREAM_PASSWORD,
      ...given,
    },
  });
  const policy = await api.must(token, createPolicy, { body: { name: 'Склад', proxyId } });
  const add = async (address: string) =>
    (await api.must(token, createSite, { body: { address, politics: [policy.id] } })).id;
  return { token, proxyId, policyId: policy.id, add };
}

/** Requests a probe and waits for its end. */
export async function probe(api: TestApi, token: string, id: number, waitMs?: number): Promise<SiteCheck> {
  // Resets the limit on repeated probes.
  await api.database.pool.query(`update site_checks set started_at = now() - interval '1 minute'`);
  await api.must(token, checkSite, { params: { id } });
  return finished(api, token, id, waitMs);
}

/** Waits for the end of a site's probe, at most `waitMs` milliseconds. */
export async function finished(api: TestApi, token: string, id: number, waitMs = 25_000): Promise<SiteCheck> {
  for (const deadline = performance.now() + waitMs; performance.now() < deadline; ) {
    const check = await api.must(token, getSiteCheck, { params: { id } });
    if (check?.state === 'done') return check;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the probe does not end');
}

/** Starts a proxy that accepts every CONNECT and then sends arbitrary bytes. */
export async function startLiar(talk: (socket: Socket) => void, host = '127.0.0.1') {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => talk(socket));
  }).listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
