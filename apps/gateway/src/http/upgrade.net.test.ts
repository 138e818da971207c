import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { openTunnel, raw, statusAndReason } from '@propusk/test-kit/gateway/client';
import {
  startSquid,
  UPSTREAM_PASSWORD,
  UPSTREAM_USER,
  type UpstreamProxy,
} from '@propusk/test-kit/gateway/upstreams';
import {
  authorization,
  company,
  credentials,
  DIRECT,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';

/** WebSockets through the gateway: in a tunnel, as browsers open them, and by Upgrade in absolute form. */

const me = credentials(1);
let world: World;
let host: string;
let squid: UpstreamProxy;
const seen: { host: string | undefined; via: string | undefined; headers: string[] }[] = [];

const site = createServer((req, res) => {
  seen.push({ host: req.headers.host, via: req.headers.via, headers: Object.keys(req.headers) });
  res
    .writeHead(req.url === '/401' ? 401 : 200, { 'www-authenticate': 'Basic' })
    .end(`hello from ${req.headers.host}`);
});
const echo = new WebSocketServer({ noServer: true });
site.on('upgrade', (req, socket, head) => {
  seen.push({ host: req.headers.host, via: req.headers.via, headers: Object.keys(req.headers) });
  if (req.url === '/401') return void socket.end('HTTP/1.1 401 No\r\nContent-Length: 4\r\n\r\nwho?');
  if (req.url === '/407')
    return void socket.end(
      'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="evil"\r\nContent-Length: 0\r\n\r\n',
    );
  if (req.url === '/other')
    return void socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
  if (req.url === '/invalid') return void socket.end('nonsense\r\n\r\n');
  if (req.url === '/stays') return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
  echo.handleUpgrade(req, socket, head, (ws) => {
    ws.send('welcome');
    ws.on('message', (data: Buffer) => ws.send(`heard ${data.toString()}`));
  });
});

beforeAll(async () => {
  await once(site.listen(0, '127.0.0.1'), 'listening');
  host = `crm.company.test:${(site.address() as AddressInfo).port}`;
  squid = await startSquid(['crm.company.test']);
  const proxy = {
    ...({ ...DIRECT, id: 7, type: 'users', direct: false, host: '127.0.0.1', port: squid.port } as const),
    ...{ username: UPSTREAM_USER, password: UPSTREAM_PASSWORD },
  };
  world = await startWorld(() => [company([host]), company([host], { id: 2, proxy })]);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await squid?.stop();
  echo.close();
  site.closeAllConnections();
  site.close();
});

/** Opens a WebSocket by Upgrade in absolute form, through `finishRequest`, ws's hook for a custom request. */
function absolute(who: string, path = '/ws', headers: Record<string, string> = {}): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${world.port}/`, {
    finishRequest(req) {
      req.path = `http://${host}${path}`;
      req.setHeader('Proxy-Authorization', `Basic ${Buffer.from(who).toString('base64')}`);
      for (const [name, value] of Object.entries(headers)) req.setHeader(name, value);
      req.end();
    },
  });
}

async function tunnelled(): Promise<WebSocket> {
  const tunnel = await openTunnel(world.port, me, host);
  tunnel.socket.removeAllListeners('data').removeAllListeners('end');
  return new WebSocket(`ws://${host}/ws`, { createConnection: () => tunnel.socket });
}

describe.each<[string, () => WebSocket | Promise<WebSocket>]>([
  ['in a tunnel', tunnelled],
  ['by Upgrade', () => absolute(me)],
  ["by Upgrade, through the company's squid", () => absolute(credentials(11))],
])('a WebSocket %s', (_, open) => {
  test('a WebSocket carries short and long messages both ways', async () => {
    const ws = await open();
    const words: string[] = [];
    ws.on('message', (data: Buffer) => words.push(data.toString()));
    await once(ws, 'open');
    const long = 'слово '.repeat(50_000);
    ws.send('one');
    ws.send(long);
    await until(() => words.length === 3);
    expect(words).toEqual(['welcome', 'heard one', `heard ${long}`]);
    ws.close();
    await until(() => world.gateway.activeRequests() === 0);
  });
});

test('the site of a WebSocket sees its own host and none of our credentials', async () => {
  seen.length = 0;
  const ws = absolute(me, '/ws', {
    Host: 'evil.test',
    'X-Nominated': '1',
    Connection: 'Upgrade, X-Nominated',
  });
  await once(ws, 'open');
  ws.close();
  expect(seen[0]?.host).toBe(host);
  expect(seen[0]?.headers).not.toContain('proxy-authorization');
  expect(seen[0]?.headers).not.toContain('x-nominated');
  await until(() => world.gateway.activeRequests() === 0);
});

test.each([
  ['no user', '', '407 no_credentials'],
  ['a user without a policy', credentials(2), '403 no_policy'],
])('an upgrade with credentials of %s is refused before it reaches the site', async (_, who, expected) => {
  seen.length = 0;
  const head = who === '' ? '' : authorization(who);
  const got = await raw(
    world.port,
    `GET http://${host}/ws HTTP/1.1\r\nHost: x\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  expect(statusAndReason(got)).toBe(expected);
  expect(seen).toEqual([]);
});

const upgrading = (path: string, more = 'Connection: Upgrade\r\nUpgrade: websocket\r\n', who = me) =>
  raw(world.port, `GET http://${host}${path} HTTP/1.1\r\nHost: x\r\n${authorization(who)}${more}\r\n`);

test("a site's refusal of an upgrade is forwarded, and a second request behind it is not", async () => {
  seen.length = 0;
  const got = await upgrading(
    '/401',
    'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: y\r\n',
  );
  expect(got).toMatch(/^HTTP\/1\.1 401 [^]*who\?$/);
  expect(seen).toHaveLength(1);
});

test('a client that leaves an endless response frees its slot', async () => {
  const client = connect(world.port, '127.0.0.1').on('error', () => {});
  client.write(
    `GET http://${host}/stays HTTP/1.1\r\nHost: x\r\n${authorization(me)}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  await once(client, 'data');
  expect(world.gateway.activeRequests()).toBe(1);
  client.end();
  await until(() => world.gateway.activeRequests() === 0);
});

test.each([
  ['/407', 'connect_failed'],
  ['/other', 'bad_response'],
])('answers 502 to an upgrade whose site sends a forbidden reply: %s', async (path, reason) => {
  expect(statusAndReason(await upgrading(path))).toBe(`502 ${reason}`);
});

test('invalid HTTP of a site behind an upstream proxy is not reported as that of the proxy', async () => {
  const got = await upgrading('/invalid', undefined, credentials(11));
  expect(statusAndReason(got)).toBe('502 bad_response');
  expect(Buffer.from(got, 'latin1').toString()).toContain('Ответ сайта нарушает правила HTTP');
});

test('an upgrade that loops back to the gateway is refused', async () => {
  await upgrading('/', 'Connection: close\r\n');
  const via = String(seen.at(-1)?.via);
  expect(via).toContain('propusk-');
  expect(
    statusAndReason(await upgrading('/ws', `Connection: Upgrade\r\nUpgrade: websocket\r\nVia: ${via}\r\n`)),
  ).toBe('400 loop');
});

test('an upgrade to another protocol is forwarded as a plain request', async () => {
  const got = await upgrading(
    '/',
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\nConnection: close\r\n',
  );
  expect(got).toMatch(/^HTTP\/1\.1 200 [^]*hello from crm/);
});

test.each<[string, () => WebSocket | Promise<WebSocket>]>([
  ['in a tunnel', tunnelled],
  ['by Upgrade', () => absolute(me)],
])('a WebSocket %s ends when access is revoked', async (_, open) => {
  const ws = await open();
  await once(ws, 'open');
  const closed = once(ws, 'close');
  const version = (world.gateway.index.companies.get(1)?.version ?? 0) + 1;
  const elapsed = stopwatch();
  world.feed.publish(company([host], { version, users: [2] }));
  expect((await closed)[0]).toBe(1006);
  expect(elapsed()).toBeLessThan(1_000);
  world.feed.publish(company([host], { version: version + 1 }));
  await until(() => world.gateway.index.companies.get(1)?.version === version + 1);
});
