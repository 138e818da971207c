import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { parseNetworks } from '@propusk/dial/addresses';
import { createDialer, dialByPromise } from '@propusk/dial/dial';

/**
 * Dials sites in a network namespace of its own (`unshare --net`) with few local ports. It prints the codes of failed dials, and the
 * addresses from which the sites received bytes, as JSON.
 * Arguments: the egress address, the number of sites, the number of sockets to each site, and optionally a local address. With it,
 * the program changes the route to the first site to use this address, and dials that site once more.
 */

const PORTS = [40_000, 40_049] as const;
const SERVER_PORT = 39_000;

const [v4 = '', sites = '1', each = '1', moved] = process.argv.slice(2);
const ip = (...args: string[]) => execFileSync('ip', args);
ip('link', 'set', 'lo', 'up');
writeFileSync('/proc/sys/net/ipv4/ip_local_port_range', PORTS.join(' '));

const from = new Set<string | undefined>();
const server = createServer((socket) => {
  socket.on('error', () => {}).on('data', () => from.add(socket.remoteAddress) && socket.write('ok'));
}).listen(SERVER_PORT, '0.0.0.0', 4_096);
await once(server, 'listening');

const allowNetworks = parseNetworks('127.0.0.0/8') ?? { v4: [], v6: [] };
const dial = dialByPromise(createDialer({ hosts: new Map(), allowNetworks, egress: { v4 } }));
const { signal } = new AbortController();
const failed: string[] = [];
async function open(site: number): Promise<void> {
  try {
    const socket: Socket = await dial(`127.0.1.${site}`, SERVER_PORT, site, signal);
    socket.write('hello');
    await once(socket, 'data');
  } catch (error) {
    failed.push(String(error));
  }
}
for (let n = 0; n < Number(each); n++)
  await Promise.all(Array.from({ length: Number(sites) }, (_, i) => open(i + 1)));
if (moved !== undefined) {
  ip('route', 'replace', 'local', '127.0.1.1', 'dev', 'lo', 'table', 'local', 'src', moved);
  await open(1);
}
process.stdout.write(JSON.stringify({ failed, from: [...from] }));
process.exit(0);
