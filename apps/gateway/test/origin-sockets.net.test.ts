import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { get, statusAndReason, stop } from '@propusk/test-kit/gateway/client';
import { startFeedServer } from '@propusk/test-kit/gateway/feed-server';
import {
  authorization,
  company,
  credentials,
  SECRET,
  startWorld,
  until,
} from '@propusk/test-kit/gateway/world';
import { nodeEnvironment } from '@propusk/test-kit/node-environment';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** How many connections to origins stay open after the responses, and who is served when the process has few descriptors. */

const NAMES = 200;
const FEW_DESCRIPTORS = 500;
let server: Server;
let port: number;
/** Connections that the origin has open, and the port of each request's connection. */
let open = 0;
let ports: (number | undefined)[] = [];
let reply: (req: IncomingMessage, res: ServerResponse) => void;

beforeAll(async () => {
  server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    ports.push(req.socket.remotePort);
    req.resume();
    reply(req, res);
  });
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
  reply = (_req, res) => res.end('hello');
});
afterAll(() => void server.close());

const site = (i: number) => `h${i}.company.test:${port}`;
const sites = () => Array.from({ length: NAMES }, (_, i) => site(i));
/** Answers the first request with a challenge of NTLM. */
const challenge: typeof reply = (_req, res) => {
  if (ports.length === 1)
    res.writeHead(401, { 'content-length': 5, 'www-authenticate': 'NTLM TlRMTVNTUAAC' });
  res.end('hello');
};
const settings = () => ({
  GATEWAY_HOSTS: sites()
    .map((name) => `${name.split(':')[0]}=127.0.0.1`)
    .join(','),
});

/** A client that keeps one connection to the gateway. @returns a function that sends a request and resolves with the response's head */
function keptClient(gateway: number, user = 1) {
  const socket = connect(gateway, '127.0.0.1')
    .setEncoding('latin1')
    .on('error', () => {});
  let got = '';
  socket.on('data', (text: string) => (got += text));
  const send = async (method: string, to: string, more = '') => {
    got = '';
    const head = `${method} http://${to}/ HTTP/1.1\r\nHost: x\r\n${authorization(credentials(user))}`;
    socket.write(`${head}${more || '\r\n'}`);
    await until(() => /hello$|<\/html>\s*$/.test(got) || socket.destroyed);
    return statusAndReason(got);
  };
  return Object.assign(send, { socket });
}

test('POST requests of one connection to many sites leave no origin connection open', async () => {
  await using world = await startWorld(() => [company(sites())], settings());
  const send = keptClient(world.port);
  for (const each of sites()) expect(await send('POST', each)).toBe('200');
  await until(() => open === 0);
});

test('GET requests of one connection keep at most 4 origin connections, which close after 10 s', async () => {
  await using world = await startWorld(() => [company(sites())], settings());
  const send = keptClient(world.port);
  for (const each of sites()) expect(await send('GET', each)).toBe('200');
  await until(() => open <= 4);
  await until(() => open === 0);
});

test('a POST that continues an NTLM login uses the connection of the challenge, and the next POST a new one', async () => {
  await using world = await startWorld(() => [company(sites())], settings());
  const send = keptClient(world.port);
  [ports, reply] = [[], challenge];
  for (let i = 0; i < 3; i++) await send('POST', site(0));
  expect(ports[1]).toBe(ports[0]);
  expect(ports[2]).not.toBe(ports[0]);
});

const closing = 'Connection: close\r\n';
test.each([
  ['of a site that keeps the connection', 20, 10, ''],
  ['of a site that neither reads the body nor closes', 12_000_000, 12_000_000, closing],
  ['with an NTLM challenge that closes', 12_000_000, 12_000_000, `${closing}WWW-Authenticate: NTLM\r\n`],
])('an early response to a POST, %s, leaves no origin connection open', async (_, length, first, more) => {
  await using world = await startWorld(() => [company(sites())], settings());
  const send = keptClient(world.port);
  const held: Socket[] = [];
  reply = (req) => {
    held.push(req.socket);
    const answer = `HTTP/1.1 401 No\r\n${more}Content-Length: 5\r\n\r\nhello`;
    setTimeout(() => req.socket.write(answer), 300);
    req.pause();
  };
  for (let i = 0; i < 3; i++) {
    const body = 'a'.repeat(first);
    expect(await send('POST', site(0), `Content-Length: ${length}\r\n\r\n${body}`)).toBe('401');
    send.socket.write('a'.repeat(length - first));
  }
  await until(() => {
    // Without a reader, a socket detects a reset only when it writes.
    for (const socket of held) socket.write('x');
    return open === 0;
  }, 5_000);
  expect(send.socket.destroyed).toBe(false);
});

test('a client connection stays usable when the site closes the connection of an NTLM login before the end of the body', async () => {
  await using world = await startWorld(() => [company(sites())], settings());
  const send = keptClient(world.port);
  [ports, reply] = [[], challenge];
  await send('POST', site(0), 'Content-Length: 2000000\r\n\r\n0123456789');
  server.closeAllConnections();
  send.socket.write('a'.repeat(1_999_990));
  expect(await send('POST', site(0))).toBe('200');
});

test('an NTLM login continues on the connection of a challenge that arrived before the end of the body', async () => {
  await using world = await startWorld(() => [company(sites())], settings());
  const send = keptClient(world.port);
  [ports, reply] = [[], challenge];
  let body = '';
  server.once('request', (req: IncomingMessage) => req.on('data', (bytes) => (body += bytes)));
  await send('POST', site(0), 'Content-Length: 20\r\n\r\n0123456789');
  send.socket.write('abcdefghij');
  await until(() => body === '0123456789abcdefghij', 5_000);
  await send('POST', site(0));
  expect(ports[1]).toBe(ports[0]);
  expect(world.gateway.activeRequests()).toBe(0);
});

test('an active request and its origin connection end when the client disconnects after an early NTLM challenge', async () => {
  await using world = await startWorld(() => [company(sites())], settings());
  const send = keptClient(world.port);
  [ports, reply] = [[], challenge];
  await send('POST', site(0), 'Content-Length: 20\r\n\r\n0123456789');
  expect(world.gateway.activeRequests()).toBe(1);
  send.socket.destroy();
  await until(() => world.gateway.activeRequests() === 0 && open === 0, 5_000);
});

test('a gateway with few descriptors serves a company while the user of another company holds idle origin connections', async () => {
  reply = (_req, res) => res.end('hello');
  const folder = await mkdtemp(join(tmpdir(), 'propusk-descriptors-'));
  const feed = await startFeedServer(SECRET);
  feed.publish(company(sites().slice(1)));
  feed.publish(company([site(0)], { id: 2 }));
  const main = new URL('../src/main.ts', import.meta.url).pathname;
  const env = {
    ...{
      ...nodeEnvironment(),
      ...settings(),
      GATEWAY_PORT: '0',
      GATEWAY_SECRET: SECRET,
      GATEWAY_PROCESSES: '1',
    },
    ...{ GATEWAY_ALLOW_NETWORKS: '127.0.0.0/8', API_URL: feed.url, DATA_DIR: folder },
  };
  const run = ['-c', `ulimit -n ${FEW_DESCRIPTORS}; exec "$0" "$@"`, process.execPath, main];
  let logged = '';
  const gateway = spawn('sh', run, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  gateway.stdout?.on('data', (text) => (logged += text));
  try {
    const [message] = (await once(gateway, 'message')) as [{ port: number }];
    expect(logged).toMatch(/"sockets":21000,"clients":200,"msg":"SOCKETS exceeds its share of open files"/);
    const neighbour = () => get(message.port, credentials(11), `http://${site(0)}/`);
    await expect.poll(async () => statusAndReason(await neighbour())).toBe('200');
    for (let i = 0; i < 95; i++) {
      const send = keptClient(message.port);
      for (let n = 1; n <= 4; n++) expect(await send('GET', site(n + i))).toBe('200');
    }
    for (let i = 0; i < 10; i++) expect(statusAndReason(await neighbour())).toBe('200');
  } finally {
    await stop(gateway);
    await feed.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
