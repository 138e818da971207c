import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
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
    req.resume().on('end', () => reply(req, res));
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
  return async (method: string, to: string) => {
    got = '';
    socket.write(`${method} http://${to}/ HTTP/1.1\r\nHost: x\r\n${authorization(credentials(user))}\r\n`);
    await until(() => /hello$|<\/html>\s*$/.test(got) || socket.destroyed);
    return statusAndReason(got);
  };
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
  ports = [];
  reply = (_req, res) => {
    if (ports.length === 1)
      res.writeHead(401, { 'content-length': 5, 'www-authenticate': 'NTLM TlRMTVNTUAAC' });
    res.end('hello');
  };
  for (let i = 0; i < 3; i++) await send('POST', site(0));
  expect(ports[1]).toBe(ports[0]);
  expect(ports[2]).not.toBe(ports[0]);
});

test('a gateway with few descriptors serves a company while the user of another company holds idle origin connections', async () => {
  reply = (_req, res) => res.end('hello');
  const folder = await mkdtemp(join(tmpdir(), 'propusk-descriptors-'));
  const feed = await startFeedServer(SECRET);
  feed.publish(company(sites().slice(1)));
  feed.publish(company([site(0)], { id: 2 }));
  const main = new URL('./main.ts', import.meta.url).pathname;
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
