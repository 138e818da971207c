import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Daemon, freePort, openFolder, startDaemon } from '../daemon.ts';

/** Independent upstream proxies: Debian's squid and tinyproxy, both with Basic auth. */

export interface UpstreamProxy extends Daemon {
  /** Reads the request log. */
  log(): Promise<string>;
}

export const UPSTREAM_USER = 'gate';
export const UPSTREAM_PASSWORD = 'listo';
// The password's entry for htpasswd, which squid's helper reads.
const HTPASSWD = `${UPSTREAM_USER}:$apr1$propusk0$8lasfXVqaP0Acc/FNRvXw.\n`;

/**
 * Starts squid, which resolves `hosts` to 127.0.0.1, or to the address beside the name, through a hosts file of its own.
 * @param egress the loopback address that it connects from
 */
export async function startSquid(
  hosts: readonly (string | readonly [name: string, address: string])[],
  egress = '127.0.0.1',
): Promise<UpstreamProxy> {
  const folder = await openFolder('squid');
  const port = await freePort();
  await writeFile(join(folder, 'users'), HTPASSWD);
  const lines = hosts.map((host) =>
    typeof host === 'string' ? `127.0.0.1 ${host}\n` : `${host[1]} ${host[0]}\n`,
  );
  await writeFile(join(folder, 'hosts'), lines.join(''));
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
  // Squid names its shared memory after the service, so use a unique name: the default may belong to
  // another user.
  const args = ['-N', '-n', `propusk${port}`, '-f', join(folder, 'squid.conf')];
  const daemon = await startDaemon(folder, port, '/usr/sbin/squid', args);
  return { ...daemon, log: () => readFile(join(folder, 'access.log'), 'utf8') };
}

/** Starts tinyproxy. It cannot map names, so it forwards to squid. */
export async function startTinyproxy(squid: UpstreamProxy): Promise<UpstreamProxy> {
  const folder = await openFolder('tinyproxy');
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
  const args = ['-d', '-c', join(folder, 'tinyproxy.conf')];
  const daemon = await startDaemon(folder, port, '/usr/bin/tinyproxy', args);
  return { ...daemon, log: () => readFile(join(folder, 'log'), 'utf8') };
}
