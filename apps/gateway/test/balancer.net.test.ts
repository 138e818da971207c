import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@propusk/test-kit/daemon';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { curl, get, openTunnel, statusAndReason } from '@propusk/test-kit/gateway/client';
import { type Balancer, startBalancer } from '@propusk/test-kit/gateway/reverse-proxies';
import {
  authorization,
  company,
  credentials,
  readMetric,
  startWorld,
  type World,
} from '@propusk/test-kit/gateway/world';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

/**
 * Gateways that believe the PROXY protocol headers of 127.0.0.1: behind Debian's HAProxy with `deploy/haproxy.cfg`, and behind a
 * relay that sends a header and a client's bytes in other pieces. Clients come from further addresses of loopback.
 */

const SOCKETS = 16;
const me = credentials(1);
/** The header of a client at 192.0.2.7. */
const header = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000207c63364010a0b0c38', 'hex');

let certificate: Certificate;
let plain: World;
let secure: World;
let balancer: Balancer;
let secureBalancer: Balancer;
const sockets: Socket[] = [];

beforeAll(async () => {
  certificate = await makeCertificate('IP:127.0.0.1');
  const env = {
    SOCKETS: String(SOCKETS),
    GATEWAY_PROXY_PROTOCOL: '127.0.0.1',
    GATEWAY_METRICS_PORT: '0',
  };
  const tls = { GATEWAY_TLS_CERT: certificate.certPath, GATEWAY_TLS_KEY: certificate.keyPath };
  const snapshots = (port: number) => [company([`crm.company.test:${port}`])];
  plain = await startWorld(snapshots, env);
  secure = await startWorld(snapshots, { ...env, ...tls });
  balancer = await startBalancer([plain.port, await freePort()]);
  secureBalancer = await startBalancer([secure.port, await freePort()]);
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  // Health checks come and go.
  while ((await metric('client_connections ')) > SOCKETS / 4) await sleep(10);
});
afterAll(async () => {
  await balancer.stop();
  await secureBalancer.stop();
  await plain[Symbol.asyncDispose]();
  await secure[Symbol.asyncDispose]();
  await certificate.remove();
});

const siteOf = ({ origin }: World) => `http://crm.company.test:${origin.port}/`;
const secureProxy = (port: number) => [
  ...['-x', `https://${me}@127.0.0.1:${port}`, '--proxy-cacert', certificate.certPath],
  siteOf(secure),
];
const metric = (name: string) => readMetric(plain.gateway.metricsPort() ?? 0, name);
const refused = (reason: string) => metric(`connections_refused_total{reason="${reason}"}`);

/** Sends a request from an address, and keeps the connection. @returns the answer, or `none` when the connection ends */
async function ask(port: number, localAddress: string, first = Buffer.alloc(0)): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {});
  sockets.push(socket);
  socket.write(first);
  socket.write(`GET ${siteOf(plain)} HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
  let got = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      got += bytes;
      if (got.includes('\r\n\r\n')) resolve();
    });
    socket.on('close', resolve);
  });
  await answered;
  return statusAndReason(got);
}

test('HAProxy carries requests and tunnels of both a plain and a TLS gateway', async () => {
  expect(statusAndReason(await get(balancer.port, me, siteOf(plain)))).toBe('200');
  const tunnel = await openTunnel(balancer.port, me, siteOf(plain).slice(7, -1), 'GET / HTTP/1.0\r\n\r\n');
  await tunnel.closed;
  expect([tunnel.status, tunnel.got()]).toEqual([200, expect.stringContaining('hello from')]);
  expect(await curl(0, '', ...secureProxy(secureBalancer.port))).toMatchObject({ status: 200 });
  const tunnelled = await curl(0, '', '--proxytunnel', ...secureProxy(secureBalancer.port));
  expect(tunnelled).toMatchObject({ status: 200, connectStatus: 200 });
});

test('a client behind HAProxy gets half of the connections, and another client gets the others', async () => {
  const before = await refused('address');
  for (let i = 0; i < SOCKETS / 2; i++) expect(await ask(balancer.port, '127.0.0.2')).toBe('200');
  expect(await ask(balancer.port, '127.0.0.2')).toBe('none');
  expect(await refused('address')).toBe(before + 1);
  // One connection is left for health checks.
  for (let i = 0; i < SOCKETS / 2 - 1; i++) expect(await ask(balancer.port, '127.0.0.3')).toBe('200');
  expect(await refused('address')).toBe(before + 1);
});

test.each([
  ['no header', Buffer.alloc(0)],
  ['version 1', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 51000 3128\r\n')],
  ['a header of another header', Buffer.concat([header, header])],
])('a connection from the balancer with %s carries no request', async (name, first) => {
  const [seen, before] = [plain.origin.requests.length, await refused('proxy_header')];
  const answer = await ask(plain.port, '127.0.0.1', first);
  const second = name.startsWith('a header');
  expect([answer, await refused('proxy_header')]).toEqual(
    second ? ['400 bad_request', before] : ['none', before + 1],
  );
  expect(plain.origin.requests.length).toBe(seen);
});

interface Relay extends Disposable {
  readonly port: number;
}

/** Connects clients to a gateway. @param write sends a header, with a client's first bytes */
async function startRelay(
  gateway: number,
  write: (to: Socket, bytes: Buffer) => unknown,
  localAddress = '127.0.0.1',
): Promise<Relay> {
  const server = createServer((client) => {
    const to = connect({ port: gateway, host: '127.0.0.1', localAddress, noDelay: true });
    sockets.push(
      client.on('error', () => {}),
      to.on('error', () => {}),
    );
    to.pipe(client);
    client.once('data', async (bytes) => {
      client.pause();
      await write(to, bytes);
      client.pipe(to);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

test.each([
  ['version 2', header],
  ['version 1', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 51000 3128\r\n')],
])('a client that is no balancer and sends a header of %s is refused', async (_, spoofed) => {
  const write = (to: Socket, bytes: Buffer) => to.write(Buffer.concat([spoofed, bytes]));
  using relay = await startRelay(plain.port, write, '127.0.0.4');
  using secureRelay = await startRelay(secure.port, write, '127.0.0.4');
  const seen = plain.origin.requests.length + secure.origin.requests.length;
  expect(statusAndReason(await get(relay.port, me, siteOf(plain)))).toBe('400 bad_request');
  expect(await curl(0, '', ...secureProxy(secureRelay.port))).toMatchObject({ status: 0 });
  expect(plain.origin.requests.length + secure.origin.requests.length).toBe(seen);
});

test.each([
  ['in one piece', async (to: Socket, bytes: Buffer) => void to.write(Buffer.concat([header, bytes]))],
  [
    'cut inside the header',
    async (to: Socket, bytes: Buffer) => {
      to.write(header.subarray(0, 20));
      await sleep(20);
      to.write(Buffer.concat([header.subarray(20), bytes]));
    },
  ],
  [
    'byte by byte',
    async (to: Socket, bytes: Buffer) => {
      for (const byte of Buffer.concat([header, bytes])) {
        to.write(Buffer.from([byte]));
        await sleep(1);
      }
    },
  ],
])(
  'header and first bytes that arrive %s reach the HTTP parser and the TLS handshake whole',
  async (_, write) => {
    using relay = await startRelay(plain.port, write);
    using secureRelay = await startRelay(secure.port, write);
    expect(statusAndReason(await get(relay.port, me, siteOf(plain)))).toBe('200');
    const tunnel = await openTunnel(relay.port, me, siteOf(plain).slice(7, -1), 'GET / HTTP/1.0\r\n\r\n');
    await tunnel.closed;
    expect(tunnel.got()).toContain('hello from');
    expect(await curl(0, '', ...secureProxy(secureRelay.port))).toMatchObject({ status: 200 });
    const tunnelled = await curl(0, '', '--proxytunnel', ...secureProxy(secureRelay.port));
    expect(tunnelled).toMatchObject({ status: 200, connectStatus: 200 });
  },
);

test('a gateway accepts HAProxy’s health checks, and HAProxy sends no client to a gateway that stopped', async () => {
  const refusals = () =>
    Promise.all([refused('proxy_header'), metric('refusals_total{reason="bad_request"}')]);
  const before = await refusals();
  const checks: string[] = [];
  const other = createServer((socket) =>
    socket.on('error', () => {}).on('data', (bytes) => checks.push(bytes.toString('hex'))),
  );
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const checking = await startBalancer([plain.port, (other.address() as AddressInfo).port]);
  await expect.poll(() => checking.states()).toEqual(['UP L4OK', 'UP L4OK']);
  await expect.poll(() => checks[0]).toBe('0d0a0d0a000d0a515549540a20000000');
  other.close();
  await expect.poll(() => checking.states()).toEqual(['UP L4OK', 'DOWN L4CON']);
  expect(statusAndReason(await get(checking.port, me, siteOf(plain)))).toBe('200');
  expect(await refusals()).toEqual(before);
  await checking.stop();
});
