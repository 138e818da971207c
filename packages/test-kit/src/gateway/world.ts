import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatewayKeys, gatewayUsername, signGatewayToken } from '@propusk/access/gateway-secret';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { type Config, readConfig } from '@propusk/gateway/config';
import { createLog } from '@propusk/gateway/log';
import { createGateway, type Gateway } from '@propusk/gateway/server';
import { stopwatch } from '../stopwatch.ts';
import { type FeedServer, startFeedServer } from './feed-server.ts';
import { type Origin, startOrigin } from './origin.ts';

/**
 * A small environment for tests on sockets: a protected site, the api's side of the feed, and the real
 * gateway between them.
 */

export const SECRET = 'a secret of the tests, long enough to be taken';
export const OTHER_SECRET = 'another secret, just as long as the first one';

/** Host names of the sites. All lead to the origin except `dead`, where nothing listens. */
export const hosts = [
  'crm.company.test=127.0.0.1',
  'wiki.company.test=127.0.0.1',
  'foreign.company.test=127.0.0.1',
  'squid.test=127.0.0.1',
  'dead.company.test=127.0.0.9',
].join(',');

/** `name:password` of a user, as a client sends it to the gateway. */
export function credentials(
  userId: number,
  { secret = SECRET, epoch = 1, expires = Math.floor(Date.now() / 1000) + 3600, username = '' } = {},
): string {
  const token = signGatewayToken(gatewayKeys(secret), { userId, epoch, expires });
  return `${username === '' ? gatewayUsername(userId) : username}:${token}`;
}

/** The header that carries credentials. */
export function authorization(pair: string): string {
  return `Proxy-Authorization: Basic ${Buffer.from(pair).toString('base64')}\r\n`;
}

export const DIRECT = {
  id: 1,
  type: 'default',
  direct: true,
  host: '',
  port: 0,
  username: '',
  password: '',
} as const;

/**
 * A company with users 1 and 2 (11 and 12 in company 2), these sites, and one policy that grants all of
 * them to the first user.
 */
export function company(
  addresses: readonly string[],
  { version = 1, proxy = DIRECT, epoch = 1, id = 1, users = [id * 10 - 9] }: Partial<CompanyOptions> = {},
): CompanySnapshot {
  return {
    companyId: id,
    version,
    users: [
      { id: id * 10 - 9, epoch },
      { id: id * 10 - 8, epoch: 1 },
    ],
    sites: addresses.map((address, i) => {
      const site = id * 1000 + i;
      return { id: site, address, claim: proxy.type === 'default' ? site : null };
    }),
    proxies: [proxy],
    policies: [
      { id, proxyId: proxy.id, allSites: false, users, sites: addresses.map((_, i) => id * 1000 + i) },
    ],
  };
}

interface CompanyOptions {
  version: number;
  proxy: CompanySnapshot['proxies'][number];
  users: number[];
  epoch: number;
  id: number;
}

export interface World extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly port: number;
  readonly origin: Origin;
  readonly feed: FeedServer;
  readonly dataDir: string;
}

/** Starts origin, feed and gateway, and waits until the gateway enforces the given snapshots. */
export async function startWorld(
  snapshots: (originPort: number) => readonly CompanySnapshot[],
  env: Readonly<Record<string, string>> = {},
  log = createLog('silent'),
): Promise<World> {
  const origin = await startOrigin();
  const feed = await startFeedServer(SECRET);
  for (const snapshot of snapshots(origin.port)) feed.publish(snapshot);
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'propusk-gateway-')));
  const gateway = await createGateway(testConfig({ API_URL: feed.url, DATA_DIR: dataDir, ...env }), log);
  const port = await gateway.listen();
  await until(
    () => [...feed.companies.keys()].every((id) => gateway.index.companies.has(id)) && !gateway.stale(),
  );
  return {
    gateway,
    port,
    origin,
    feed,
    dataDir,
    async [Symbol.asyncDispose]() {
      await gateway.close(0);
      await feed.stop();
      await origin.stop();
      if (env.DATA_DIR === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Settings of a gateway under test: any free port, the host names above, loopback exempt.
 * @param env settings of a gateway; SNAPSHOT_MAX_AGE and TUNNEL_IDLE accept any number, because a test cannot
 * wait for the product's minimum
 */
export function testConfig({
  SNAPSHOT_MAX_AGE = '900',
  TUNNEL_IDLE = '60',
  ...env
}: Readonly<Record<string, string>>): Config {
  const config = readConfig({
    GATEWAY_PORT: '0',
    GATEWAY_SECRET: SECRET,
    GATEWAY_HOSTS: hosts,
    GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
    CONSOLE_URL: 'http://console.test',
    ...env,
  });
  return {
    ...config,
    snapshotMaxAgeMs: Number(SNAPSHOT_MAX_AGE) * 1000,
    tunnelIdleMs: Number(TUNNEL_IDLE) * 60_000,
  };
}

/** Waits until a condition is true. @param ms the most time on an idle machine @throws Error when it is not in time */
export async function until(what: () => boolean, ms = 60_000): Promise<void> {
  const elapsed = stopwatch();
  while (!what()) {
    if (elapsed() > ms) throw new Error(`Not within ${ms} ms: ${what.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Reads a metric of a gateway process from its GATEWAY_METRICS_PORT; NaN when it is absent. */
export async function readMetric(metricsPort: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`propusk_gateway_${name}`));
  return Number(line?.split(' ').at(-1) ?? 'NaN');
}

/** Waits until a metric has at least a value. @throws Error when it is not in time */
export async function untilMetric(
  metricsPort: number,
  name: 'snapshot_version' | 'snapshot_companies',
  least: number,
  ms = 60_000,
): Promise<void> {
  const deadline = performance.now() + ms;
  while (!((await readMetric(metricsPort, name)) >= least)) {
    if (performance.now() > deadline) throw new Error(`${name} below ${least} for ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
