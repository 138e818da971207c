import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listens, requireProgram, run, stop } from './client.ts';

/** Independent upstream proxies: Debian's squid and tinyproxy, both with Basic auth. */

export interface UpstreamProxy {
  readonly port: number;
  /** The log of requests. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

export const UPSTREAM_USER = 'gate';
export const UPSTREAM_PASSWORD = 'listo';
// The password's entry for htpasswd, which squid's helper reads.
const HTPASSWD = `${UPSTREAM_USER}:$apr1$propusk0$8lasfXVqaP0Acc/FNRvXw.\n`;

/**
 * Starts squid, which resolves `hosts` to loopback through a hosts file of its own.
 * @param egress the loopback address that it connects from
 */
export async function startSquid(hosts: readonly string[], egress = '127.0.0.1'): Promise<UpstreamProxy> {
  requireProgram('/usr/sbin/squid', 'squid');
  const folder = await mkdtemp(join(tmpdir(), 'propusk-squid-'));
  // squid started by root drops to another user.
  await chmod(folder, 0o777);
  const port = await freePort();
  await writeFile(join(folder, 'users'), HTPASSWD);
  await writeFile(join(folder, 'hosts'), `127.0.0.1 ${hosts.join(' ')}\n`);
  await writeFile(
    join(folder, 'squid.conf'),
    `http_port 127.0.0.1:${port}
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/users
auth_param basic children 1
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
hosts_file ${folder}/hosts
tcp_outgoing_address ${egress}
pid_filename none
access_log stdio:${folder}/access.log
cache_log ${folder}/cache.log
cache deny all
pinger_enable off
netdb_filename none
shutdown_lifetime 0 seconds
coredump_dir ${folder}
`,
  );
  const child = await run('/usr/sbin/squid', ['-N', '-f', join(folder, 'squid.conf')], () => listens(port));
  return {
    port,
    log: () => readFile(join(folder, 'access.log'), 'utf8'),
    async stop() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts tinyproxy. It cannot map names, so it forwards to squid. */
export async function startTinyproxy(squid: UpstreamProxy): Promise<UpstreamProxy> {
  requireProgram('/usr/bin/tinyproxy', 'tinyproxy');
  const folder = await mkdtemp(join(tmpdir(), 'propusk-tinyproxy-'));
  const port = await freePort();
  await writeFile(
    join(folder, 'tinyproxy.conf'),
    `Port ${port}
Listen 127.0.0.1
Timeout 60
MaxClients 20
BasicAuth ${UPSTREAM_USER} ${UPSTREAM_PASSWORD}
Upstream http ${UPSTREAM_USER}:${UPSTREAM_PASSWORD}@127.0.0.1:${squid.port}
LogFile "${folder}/log"
LogLevel Connect
`,
  );
  const child = await run('/usr/bin/tinyproxy', ['-d', '-c', join(folder, 'tinyproxy.conf')], () =>
    listens(port),
  );
  return {
    port,
    log: () => readFile(join(folder, 'log'), 'utf8'),
    async stop() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
