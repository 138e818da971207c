import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTunnel } from '@propusk/test-kit/gateway/client';
import { company, credentials, startWorld, until, type World } from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Tunnels in which neither side sends anything. */

const IDLE_MS = 3_000;
let world: World;
const clients: Socket[] = [];
// On shared egress, a tunnel is spliced only once its first bytes are classified, so the site sends an SSH banner.
const site = createServer((socket) => clients.push(socket.on('error', () => {}).resume()));
let target: string;

beforeAll(async () => {
  site.on('connection', (socket) => socket.write('SSH-2.0-idle\r\n')).listen(0, '127.0.0.1');
  await once(site, 'listening');
  target = `crm.company.test:${(site.address() as AddressInfo).port}`;
  world = await startWorld(() => [company([target])], { TUNNEL_IDLE: String(IDLE_MS / 60_000) });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  site.close();
});

/** The seconds until the timer of a socket of this machine, and its kind: 2 is the keep-alive (man 5 proc, /proc/net/tcp). */
async function timerOf({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>) {
  const hex = (port = 0) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'latin1'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const found = lines.find(([, local, remote]) => local === hex(localPort) && remote === hex(remotePort));
  const [kind = '', when = ''] = found?.[5]?.split(':') ?? [];
  return { kind: Number(kind), seconds: Number.parseInt(when, 16) / 100 };
}

test('the kernel sends keep-alive probes on both sockets of an idle tunnel after 60 s, and the tunnel ends after TUNNEL_IDLE', async () => {
  // The clock of the deadlines moves once a second.
  await sleep(1_100);
  const start = performance.now();
  const tunnel = await openTunnel(world.port, credentials(1), target);
  await until(() => tunnel.got() !== '');
  const { localPort, remotePort } = tunnel.socket;
  const origin = clients[0] ?? tunnel.socket;
  const ends = [
    { localPort: remotePort, remotePort: localPort },
    { localPort: origin.remotePort, remotePort: origin.localPort },
  ];
  for (const end of ends) {
    const timer = await timerOf(end);
    expect(timer.kind).toBe(2);
    expect(timer.seconds).toBeGreaterThan(55);
    expect(timer.seconds).toBeLessThan(61);
  }
  await tunnel.closed;
  expect(performance.now() - start).toBeGreaterThan(IDLE_MS - 1_000);
});
