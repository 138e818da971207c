import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTunnel } from '@propusk/test-kit/gateway/client';
import { company, credentials, startWorld, until, type World } from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sweep } from '../src/deadline.ts';
import { Splice } from '../src/tunnel/splice.ts';

/** Tunnels in which neither side sends anything. */

const IDLE_MS = 3_000;
let world: World;
// On shared egress, a tunnel is spliced only once its first bytes are classified, so the site sends an SSH banner.
const site = createServer((socket) => void socket.on('error', () => {}).resume());
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

test('an idle tunnel ends after TUNNEL_IDLE', async () => {
  // The clock of the deadlines moves once a second.
  await sleep(1_100);
  const start = performance.now();
  const tunnel = await openTunnel(world.port, credentials(1), target);
  await until(() => tunnel.got() !== '');
  await tunnel.closed;
  expect(performance.now() - start).toBeGreaterThan(IDLE_MS - 1_000);
});

test('the kernel sends keep-alive probes on both sockets of a tunnel that was idle for 60 s', async () => {
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const { port } = echo.address() as AddressInfo;
  const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')] as const;
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now');
  let ended = false;
  sweep([]);
  const splice = new Splice(...sockets, null, 5 * 60_000, () => (ended = true));
  splice.start(Buffer.alloc(0), Buffer.alloc(0));

  clock.mockReturnValue(now + 50_000);
  sweep([splice]);
  expect((await timerOf(sockets[0])).kind).toBe(0);

  clock.mockReturnValue(now + 65_000);
  sweep([splice]);
  for (const socket of sockets) {
    const timer = await timerOf(socket);
    expect(timer.kind).toBe(2);
    expect(timer.seconds).toBeLessThan(61);
  }
  clock.mockReturnValue(now + 4 * 60_000);
  sweep([splice]);
  expect(ended).toBe(false);

  clock.mockReturnValue(now + 6 * 60_000);
  sweep([splice]);
  expect(ended).toBe(true);
  clock.mockRestore();
  echo.close();
});
