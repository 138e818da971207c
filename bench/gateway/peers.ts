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
import type { LoadClient } from './load.ts';
import {
  COMPANIES,
  calledSites,
  callers,
  passwordOf,
  SECRET,
  sitesOf,
  snapshots,
  usersOf,
  wildDomainOf,
} from './policy.ts';

/** The proxies under measurement, each on the same core and under the same policy. */

export interface Proxy extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** The clients of the load, with credentials that the proxy accepts. */
  readonly callers: readonly LoadClient[];
  readonly process: Pinned;
}

export interface Wanted {
  /** Port of the sites. */
  readonly origin: number;
  /** The address of a name server for names outside the known sites; it listens at port 53. */
  readonly dns?: string;
}

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
      CONSOLE_URL: 'http://console.test',
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const { port } = await firstMessage<{ port: number }>(running.child, 'listening');
  return { ...running, port };
}

export const OURS = 'ours, records on';
export const UNRECORDED = 'ours, records off';

/** Starts the gateway, which makes and sends a record of access for each visit. */
export const startOurs = (wanted: Wanted) => startWithFeed(OURS, wanted, './own-records.ts');

/** Starts the gateway without records of tunnels and requests. */
export const startUnrecorded = (wanted: Wanted) => startWithFeed(UNRECORDED, wanted, './no-records.ts');

/** Starts the gateway that collects its garbage on demand. */
export const startCollecting = (wanted: Wanted) => startWithFeed(OURS, wanted, './collect.ts');

/** Starts the gateway with a feed server in place of the api. @param preload a module that it loads first */
async function startWithFeed(name: string, { origin, dns }: Wanted, preload: string): Promise<Proxy> {
  const started = new AsyncDisposableStack();
  const feed = await startFeedServer(SECRET, { heartbeatMs: 5_000 });
  for (const snapshot of snapshots(origin, dns !== undefined)) feed.publish(snapshot);
  // Reading the records would take time from the cores of gateway and load.
  feed.answerRecords(204);
  started.defer(feed.stop);
  const folder = started.use(await newFolder());
  const metricsPort = await freePort();
  const env = {
    GATEWAY_SECRET: SECRET,
    API_URL: feed.url,
    DATA_DIR: folder.path,
    GATEWAY_METRICS_PORT: String(metricsPort),
    ...(dns !== undefined && { GATEWAY_DNS: dns }),
    NODE_OPTIONS: `--import=${import.meta.resolve(preload)}`,
  };
  const running = started.use(await startGateway(MEASURED, calledSites(), env));
  await untilMetric(metricsPort, 'snapshot_companies', COMPANIES, 60_000);
  return {
    name,
    port: running.port,
    callers: callers('token'),
    process: running,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Starts squid with Basic auth, and with users and names per company. */
export async function startSquid({ dns }: Wanted): Promise<Proxy> {
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
  const names = calledSites().map((site) => `127.0.0.1 ${site}`);
  await writeFile(join(folder, 'hosts'), `${names.join('\n')}\n`);
  await writeFile(
    join(folder, 'squid.conf'),
    `http_port 127.0.0.1:${port}
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/users
auth_param basic children 5 startup=5 queue-size=1000
${rules.join('\n')}
http_access deny all
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
  for (let tries = 0; !(await listens(port)); tries++) {
    if (tries > 500 || running.child.exitCode !== null) throw new Error('squid did not start');
    await sleep(20);
  }
  return {
    name: 'squid',
    port,
    callers: callers('password'),
    process: running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Starts proxy-chain, which looks users and sites up in memory. */
export const startProxyChain = () =>
  startProgram('proxy-chain', [fileOf('./proxy-chain.ts')], 'password', {});

/** Starts the floor of a tunnel: no proxy on Node that does this work can be much faster. */
export const startFloor = ({ origin }: Wanted) =>
  startProgram('floor', [fileOf('./floor.ts')], 'token', { ORIGIN: String(origin) });

/** Starts the minimal proxy of floor.ts with the gateway's flags of Node. */
export const startFloorWithFlags = ({ origin }: Wanted) =>
  startProgram('floor, our flags', [...NODE_FLAGS, fileOf('./floor.ts')], 'token', {
    ORIGIN: String(origin),
  });

/** Starts a proxy that is a program of the bench. @param command Node's flags and the program */
async function startProgram(
  name: string,
  command: readonly string[],
  known: 'token' | 'password',
  settings: Readonly<Record<string, string>>,
): Promise<Proxy> {
  const running = pinned(MEASURED, [process.execPath, ...command], {
    ipc: true,
    env: { PATH: process.env.PATH, PORT: String(await freePort()), ...settings },
  });
  const { port } = await firstMessage<{ port: number }>(running.child, 'listening');
  return {
    name,
    port,
    callers: callers(known),
    process: running,
    [Symbol.asyncDispose]: running[Symbol.asyncDispose],
  };
}
