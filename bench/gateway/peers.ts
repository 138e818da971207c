import { createHash } from 'node:crypto';
import { chmod, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '@propusk/gateway/node-flags';
import { freePort, listens } from '@propusk/test-kit/daemon';
import { startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import { untilMetric } from '@propusk/test-kit/gateway/world';
import { firstMessage, MEASURED, type Pinned, pinned } from '../harness/pinned.ts';
import {
  COMPANIES,
  callers,
  passwordOf,
  SECRET,
  sitesOf,
  snapshots,
  type Upstream,
  usersOf,
  wildDomainOf,
} from './policy.ts';

/** The proxies under measurement, each on the same core and under the same policy. */

export interface Proxy extends AsyncDisposable {
  readonly name: string;
  /** Null: no proxy, which measures the limit of load and origin. */
  readonly port: number | null;
  /** The kind of credentials that the proxy accepts. */
  readonly known: 'token' | 'password';
  readonly process: Pinned | null;
}

export interface Wanted {
  /** Port of the sites. */
  readonly origin: number;
  /** The upstream proxy of every company; without one egress is direct. */
  readonly upstream?: Upstream;
  /** The address of a name server for names outside the known sites; it listens at port 53. */
  readonly dns?: string;
}

/** No proxy: measures the limit of load and origin. */
export const startNone = async (): Promise<Proxy> => ({
  name: 'no proxy',
  port: null,
  known: 'password',
  process: null,
  [Symbol.asyncDispose]: async () => {},
});

const fileOf = (path: string) => fileURLToPath(import.meta.resolve(path));
const newFolder = () => mkdtempDisposable(join(tmpdir(), 'propusk-bench-'));

/** Starts a gateway as one process. @param sites names that it resolves to loopback */
export async function startGateway(
  core: number | string,
  sites: readonly string[],
  env: Readonly<Record<'API_URL' | 'DATA_DIR' | 'GATEWAY_SECRET', string> & Record<string, string>>,
): Promise<Pinned & { port: number }> {
  const running = pinned(core, [process.execPath, ...NODE_FLAGS, fileOf('@propusk/gateway/main')], {
    ipc: true,
    env: {
      PATH: process.env.PATH,
      GATEWAY_PORT: '0',
      GATEWAY_PROCESSES: '1',
      GATEWAY_HOSTS: sites.map((site) => `${site}=127.0.0.1`).join(','),
      GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8',
      // The gateway gives one address at most half of its connections. The load comes from one address and needs this half.
      SOCKETS: '25000',
      CONSOLE_URL: 'http://console.test',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const { port } = await firstMessage<{ port: number }>(running.child, 'listening');
  return { ...running, port };
}

/** Starts the gateway with a feed server in place of the api. */
export async function startOurs({ origin, upstream, dns }: Wanted): Promise<Proxy> {
  const started = new AsyncDisposableStack();
  const feed = await startFeedServer(SECRET, { heartbeatMs: 5_000 });
  for (const snapshot of snapshots(origin, upstream, dns !== undefined)) feed.publish(snapshot);
  // Reading the records would take time from the cores of gateway and load.
  feed.answerRecords(204);
  started.defer(feed.stop);
  const folder = started.use(await newFolder());
  const sites = callers().map(({ site }) => site);
  const metricsPort = await freePort();
  const env = {
    GATEWAY_SECRET: SECRET,
    API_URL: feed.url,
    DATA_DIR: folder.path,
    GATEWAY_METRICS_PORT: String(metricsPort),
    ...(dns !== undefined && { GATEWAY_DNS: dns }),
  };
  const running = started.use(await startGateway(MEASURED, sites, env));
  await untilMetric(metricsPort, 'snapshot_companies', COMPANIES, 60_000);
  return {
    name: 'ours',
    port: running.port,
    known: 'token',
    process: running,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Starts squid with Basic auth, and with users and names per company. */
export async function startSquid({ upstream, dns }: Wanted): Promise<Proxy> {
  const temporary = await newFolder();
  const folder = temporary.path;
  // squid, when root starts it, switches to another user, who needs this folder.
  await chmod(folder, 0o777);
  const port = await freePort();
  const known: string[] = [];
  const rules: string[] = [];
  for (let company = 0; company < COMPANIES; company++) {
    const ids = usersOf(company);
    known.push(...ids.map((id) => `u${id}:${createHash('md5').update(passwordOf(id)).digest('hex')}`));
    await writeFile(join(folder, `people-${company}`), ids.map((id) => `u${id}`).join('\n'));
    await writeFile(
      join(folder, `sites-${company}`),
      [...sitesOf(company), `.${wildDomainOf(company)}`].join('\n'),
    );
    rules.push(
      `acl people${company} proxy_auth "${folder}/people-${company}"`,
      `acl sites${company} dstdomain "${folder}/sites-${company}"`,
      `http_access allow sites${company} people${company}`,
    );
  }
  await writeFile(join(folder, 'users'), `${known.join('\n')}\n`);
  // One name a line: squid truncates long lines.
  const names = callers().map(
    ({ site }) => `127.0.0.1 ${site}
`,
  );
  await writeFile(join(folder, 'hosts'), names.join(''));
  const parent =
    upstream === undefined
      ? ''
      : `cache_peer ${upstream.host} parent ${upstream.port} 0 no-query no-digest default login=${upstream.username}:${upstream.password}
never_direct allow all`;
  await writeFile(
    join(folder, 'squid.conf'),
    `http_port 127.0.0.1:${port}
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/users
auth_param basic children 5 startup=5 queue-size=1000
${rules.join('\n')}
http_access deny all
${parent}
hosts_file ${folder}/hosts
${dns === undefined ? '' : `dns_nameservers ${dns}`}
pid_filename none
access_log none
cache_log ${folder}/cache.log
cache deny all
pinger_enable off
netdb_filename none
max_filedescriptors 65536
shutdown_lifetime 0 seconds
coredump_dir ${folder}
`,
  );
  const running = pinned(MEASURED, ['/usr/sbin/squid', '-N', '-f', join(folder, 'squid.conf')]);
  return up('squid', port, running, temporary);
}

/**
 * Starts tinyproxy. It checks one password and no rules by user and site, so it does less work than the
 * others.
 */
export async function startTinyproxy({ upstream }: Wanted): Promise<Proxy> {
  const temporary = await newFolder();
  const folder = temporary.path;
  const port = await freePort();
  const onward =
    upstream === undefined
      ? ''
      : `Upstream http ${upstream.username}:${upstream.password}@${upstream.host}:${upstream.port}`;
  await writeFile(
    join(folder, 'tinyproxy.conf'),
    `Port ${port}
Listen 127.0.0.1
Timeout 600
MaxClients 12000
BasicAuth one known
${onward}
LogFile "${folder}/log"
LogLevel Critical
`,
  );
  const running = pinned(MEASURED, ['/usr/bin/tinyproxy', '-d', '-c', join(folder, 'tinyproxy.conf')]);
  return up('tinyproxy', port, running, temporary);
}

/** Starts proxy-chain, which looks users and sites up in memory. */
export async function startProxyChain({ upstream, dns }: Wanted): Promise<Proxy> {
  const running = pinned(MEASURED, [process.execPath, fileOf('./proxy-chain.ts')], {
    ipc: true,
    env: {
      PATH: process.env.PATH,
      PORT: String(await freePort()),
      ...(dns !== undefined && { DNS: dns }),
      ...(upstream !== undefined && {
        UPSTREAM: `http://${upstream.username}:${upstream.password}@${upstream.host}:${upstream.port}`,
      }),
    },
  });
  const { port } = await firstMessage<{ port: number }>(running.child, 'listening');
  const { [Symbol.asyncDispose]: stop } = running;
  return { name: 'proxy-chain', port, known: 'password', process: running, [Symbol.asyncDispose]: stop };
}

/** Starts the floor of a tunnel: no proxy on Node that does this work can be much faster. */
export async function startFloor({ origin }: Wanted): Promise<Proxy> {
  const running = pinned(MEASURED, [process.execPath, fileOf('./floor.ts')], {
    ipc: true,
    env: { PATH: process.env.PATH, PORT: String(await freePort()), ORIGIN: String(origin) },
  });
  const { port } = await firstMessage<{ port: number }>(running.child, 'listening');
  const { [Symbol.asyncDispose]: stop } = running;
  return { name: 'floor', port, known: 'token', process: running, [Symbol.asyncDispose]: stop };
}

async function up(name: string, port: number, running: Pinned, folder: AsyncDisposable): Promise<Proxy> {
  for (let tries = 0; !(await listens(port)); tries++) {
    if (tries > 500 || running.child.exitCode !== null) throw new Error(`${name} did not start`);
    await sleep(20);
  }
  return {
    name,
    port,
    known: 'password',
    process: running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
