import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type Certificate, makeCertificate } from '@propusk/test-kit/gateway/certificate';
import { curl, openTunnel, raw, type Tunnel } from '@propusk/test-kit/gateway/client';
import {
  authorization,
  company,
  credentials,
  DIRECT,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Access to one host name grants no other name at the same address. User 1 uses the shared egress, user 11
 * the egress of his company.
 */

let world: World;
let certificate: Certificate;
let site: Server;
let port: number;
/** Bytes that the site received: a refused name must not cause a single one. */
let heard = 0;
const shared = credentials(1);
const own = credentials(11);

beforeAll(async () => {
  certificate = await makeCertificate('DNS:crm.company.test', 'DNS:wiki.company.test');
  site = createServer(certificate, (req, res) => res.end(`secure ${req.headers.host}`));
  site.on('connection', (socket: Socket) => socket.on('close', () => (heard += socket.bytesRead)));
  site.on('tlsClientError', () => {});
  await once(site.listen(0, '127.0.0.1'), 'listening');
  port = (site.address() as AddressInfo).port;
  world = await startWorld((plain) => [
    company([`crm.company.test:${port}`, `crm.company.test:${plain}`]),
    company([`wiki.company.test:${port}`, `wiki.company.test:${plain}`], {
      id: 2,
      proxy: { ...DIRECT, id: 2, type: 'users' },
    }),
  ]);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  site.closeAllConnections();
  site.close();
  await certificate.remove();
});

/** Opens TLS inside a tunnel. @returns the outcome */
async function handshake(who: string, host: string, options: ConnectionOptions): Promise<string> {
  const tunnel = await openTunnel(world.port, who, `${host}:${port}`);
  expect(tunnel.status).toBe(200);
  const tls = connectTls({ socket: tunnel.socket, rejectUnauthorized: false, ...options });
  const outcome = await Promise.race([
    once(tls, 'secureConnect').then(() => 'secure'),
    new Promise<string>((resolve) => tls.on('error', () => resolve('cut')).on('close', () => resolve('cut'))),
  ]);
  tls.destroy();
  return outcome;
}

test("curl reaches the site through CONNECT when SNI names CONNECT's host", async () => {
  const got = await curl(
    world.port,
    shared,
    '--cacert',
    certificate.certPath,
    `https://crm.company.test:${port}/`,
  );
  expect(got).toMatchObject({ status: 200, connectStatus: 200, body: `secure crm.company.test:${port}` });
});

test.each([
  ['the same name', { servername: 'crm.company.test' }, 'secure'],
  ['the same name in other letters', { servername: 'CRM.Company.test' }, 'secure'],
  ['TLS 1.2', { servername: 'crm.company.test', maxVersion: 'TLSv1.2' } as const, 'secure'],
  ['the name of another site', { servername: 'wiki.company.test' }, 'cut'],
  ['a subdomain', { servername: 'a.crm.company.test' }, 'cut'],
  ['a single label', { servername: 'localhost' }, 'cut'],
  ['no name', { servername: '' }, 'cut'],
])('on shared egress a TLS handshake is forwarded or cut by its SNI: %s', async (_, options, expected) => {
  heard = 0;
  expect(await handshake(shared, 'crm.company.test', options)).toBe(expected);
  await until(() => world.gateway.activeRequests() === 0);
  await sleep(20);
  if (expected === 'cut') expect(heard).toBe(0);
});

test.each([
  ['the same name', { servername: 'wiki.company.test' }, 'secure'],
  ['the name of another site', { servername: 'crm.company.test' }, 'cut'],
  ['no name', { servername: '' }, 'secure'],
])(
  "on a company's own egress a TLS handshake is forwarded or cut by its SNI: %s",
  async (_, options, expected) => {
    expect(await handshake(own, 'wiki.company.test', options)).toBe(expected);
  },
);

/** Captures a TLS client's first bytes. */
async function helloOf(servername: string): Promise<Buffer> {
  const server = createPlainServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const connected = once(server, 'connection');
  const client = connectTls({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', servername });
  client.on('error', () => {});
  const [socket] = await connected;
  const [bytes] = await once(socket, 'data');
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

describe('ClientHello in pieces', () => {
  async function dribble(servername: string, size: number): Promise<Tunnel> {
    const tunnel = await openTunnel(world.port, shared, `crm.company.test:${port}`);
    const hello = await helloOf(servername);
    tunnel.socket.setNoDelay(true);
    for (let at = 0; at < hello.length && !tunnel.socket.destroyed; at += size) {
      tunnel.socket.write(hello.subarray(at, at + size));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return tunnel;
  }

  test.each([1, 7, 300])(
    'a ClientHello in pieces of %i bytes passes if its name is allowed',
    async (size) => {
      const tunnel = await dribble('crm.company.test', size);
      await until(() => tunnel.got().length > 0);
      // The first byte of a ServerHello record.
      expect(tunnel.got().charCodeAt(0)).toBe(22);
      tunnel.socket.destroy();
      await until(() => world.gateway.activeRequests() === 0);
      await sleep(50);
      heard = 0;
      await (await dribble('wiki.company.test', size)).closed;
      await until(() => world.gateway.activeRequests() === 0);
      expect(heard).toBe(0);
    },
  );

  test('an incomplete ClientHello ends the tunnel after 10 s', async () => {
    const tunnel = await openTunnel(world.port, own, `wiki.company.test:${port}`);
    const started = performance.now();
    tunnel.socket.write((await helloOf('wiki.company.test')).subarray(0, 60));
    await tunnel.closed;
    expect(performance.now() - started).toBeGreaterThan(9_000);
  });
});

describe('HTTP in a tunnel on shared egress', () => {
  test("each HTTP request in a shared-egress tunnel goes to CONNECT's host, whatever its Host header says", async () => {
    const authority = `crm.company.test:${world.origin.port}`;
    const tunnel = await openTunnel(world.port, shared, authority);
    const before = [world.origin.requests.length, world.origin.connections()] as const;
    for (const host of ['wiki.company.test', 'crm.company.test', 'evil.test']) {
      const had = tunnel.got().length;
      tunnel.socket.write(`GET /in HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await until(() => tunnel.got().slice(had).endsWith(`hello from ${authority}`));
    }
    const seen = world.origin.requests.slice(before[0]).map(({ headers }) => headers.host);
    expect(seen).toEqual([authority, authority, authority]);
    // One connection for all requests, besides the one that CONNECT opened before the protocol was known.
    expect(world.origin.connections()).toBe(before[1] + 1);
    tunnel.socket.destroy();
  });

  test.each([
    ['absolute form', 'GET http://wiki.company.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['a tunnel in the tunnel', 'CONNECT wiki.company.test:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s inside a shared-egress tunnel is answered 400', async (_, bytes) => {
    const before = world.origin.requests.length;
    const tunnel = await openTunnel(world.port, shared, `crm.company.test:${world.origin.port}`, bytes);
    await tunnel.closed;
    expect(tunnel.got()).toMatch(/^HTTP\/1\.1 400 [^]*X-Propusk-Reason: bad_request/);
    expect(world.origin.requests.length).toBe(before);
  });

  test("HTTP in a tunnel on a company's own egress passes unchanged", async () => {
    const bytes = 'GET / HTTP/1.1\r\nHost: inside\r\nX-Odd:  kept \r\n\r\n';
    const tunnel = await openTunnel(world.port, own, `wiki.company.test:${world.origin.port}`, bytes);
    await until(() => tunnel.got().includes('hello from'));
    expect(tunnel.got()).toMatch(/hello from inside$/);
    tunnel.socket.destroy();
  });

  test('pipelined requests in a tunnel share one origin connection', async () => {
    const authority = `crm.company.test:${world.origin.port}`;
    await until(() => world.gateway.activeRequests() === 0 && world.origin.open() === 0);
    const many = 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_500);
    const tunnel = await openTunnel(world.port, shared, authority, many);
    await until(() => tunnel.got().includes('drop'));
    await sleep(300);
    expect(world.origin.open()).toBe(1);
    expect(world.gateway.activeRequests()).toBe(1);
    tunnel.socket.destroy();
    await until(() => world.gateway.activeRequests() === 0 && world.origin.open() === 0);
  });

  test.each([['behind the request'], ['before the tunnel is open']])(
    'a client that half-closes %s gets its response',
    async (when) => {
      const authority = `crm.company.test:${world.origin.port}`;
      const request = 'GET /in HTTP/1.1\r\nHost: x\r\n\r\n';
      const early = when === 'before the tunnel is open';
      const tunnel = early
        ? await openTunnel(world.port, shared, authority, request, 'half-close')
        : await openTunnel(world.port, shared, authority);
      if (!early) tunnel.socket.end(request);
      await tunnel.closed;
      expect(tunnel.got()).toMatch(/^HTTP\/1\.1 200 [^]*hello from/);
    },
  );

  test('HTTP in a tunnel ends when access is revoked', async () => {
    const authority = `crm.company.test:${world.origin.port}`;
    const tunnel = await openTunnel(world.port, shared, authority, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => tunnel.got().includes('drop'));
    const snapshot = company([`crm.company.test:${port}`, authority], { version: 2, users: [2] });
    world.feed.publish(snapshot);
    await until(() => tunnel.socket.destroyed, 1_000);
    expect(world.origin.requests.at(-1)?.url).toBe('/drip');
    world.feed.publish({ ...snapshot, ...company([`crm.company.test:${port}`, authority], { version: 3 }) });
    await until(() => world.gateway.index.companies.get(1)?.version === 3);
    await until(() => world.gateway.activeRequests() === 0);
  });
});

test('a shared-egress tunnel carries protocols whose server speaks first, but not a server greeting of HTTP', async () => {
  let greeting = 'SSH-2.0-server\r\n';
  const talker = createPlainServer((socket) => {
    setTimeout(() => socket.write(greeting), 100);
    socket.on('data', (data) => socket.write(`heard ${data.toString()}`)).on('error', () => {});
  });
  await once(talker.listen(0, '127.0.0.1'), 'listening');
  const authority = `crm.company.test:${(talker.address() as AddressInfo).port}`;
  world.feed.publish(company([`crm.company.test:${port}`, authority], { version: 4 }));
  await until(() => world.gateway.index.companies.get(1)?.version === 4);
  const tunnel = await openTunnel(world.port, shared, authority, 'SSH-2.0-client\r\n');
  await until(() => tunnel.got().includes('heard'));
  expect(tunnel.got()).toBe('SSH-2.0-server\r\nheard SSH-2.0-client\r\n');
  tunnel.socket.destroy();
  // Messages of an HTTP server to a client that sends nothing. After either one the server accepts a request to any Host.
  for (greeting of ['HTTP/1.1 408 Request Timeout\r\n\r\n', '\0\0\0\x04\0\0\0\0\0']) {
    const held = await openTunnel(world.port, shared, authority, '\r\nGET / HTTP/1.1\r\nHost: wiki\r\n\r\n');
    await held.closed;
    expect(held.got()).toBe('');
  }
  talker.close();
});

test("up to 16 KiB from the client are held while the gateway waits for the server's first bytes", async () => {
  const before = world.origin.requests.length;
  const tunnel = await openTunnel(world.port, shared, `crm.company.test:${port}`, `-${'x'.repeat(100_000)}`);
  await until(() => tunnel.socket.destroyed, 2_000);
  expect(world.origin.requests.length).toBe(before);
});

test('a tunnel with neither TLS, HTTP nor a server greeting is cut after 10 s', async () => {
  const request = `CONNECT crm.company.test:${port} HTTP/1.1\r\nHost: x\r\n${authorization(shared)}\r\nnonsense at once\r\n`;
  const got = await raw(world.port, request);
  expect(got).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
});
