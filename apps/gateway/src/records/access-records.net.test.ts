import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayKeys, signProbeToken } from '@propusk/access/gateway-secret';
import { get, openTunnel, raw } from '@propusk/test-kit/gateway/client';
import {
  authorization,
  company,
  credentials,
  DIRECT,
  SECRET,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { stopwatch } from '@propusk/test-kit/stopwatch';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { RecordSpool } from './record-spool.ts';

/** The records of access that a gateway sends for tunnels, WebSockets, requests and refusals of real clients. */

const me = credentials(1);
let world: World;
let host: string;
const servers: { close(): unknown }[] = [];

beforeEach(async () => {
  world = await startWorld((port) => [company([`wiki.company.test:${port}`, `crm.company.test:${port}`])]);
  host = `crm.company.test:${world.origin.port}`;
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  for (const server of servers.splice(0)) server.close();
});

const records = () => world.feed.records();
/** Waits until at least this many records are stored and none is open. */
async function ended(count: number) {
  await until(() => records().length >= count && records().every(({ open }) => !open));
  return records();
}

/** Starts a site that greets with 5,000 bytes, and ends after four bytes. */
async function startGreeter(
  greet = (socket: Socket) => void socket.write('x'.repeat(5_000)),
): Promise<number> {
  const site = createServer((socket) => {
    greet(socket);
    socket.on('data', (data) => data.toString().endsWith('bye!') && socket.end()).on('error', () => {});
  });
  servers.push(site.listen(0, '127.0.0.1'));
  await once(site, 'listening');
  return (site.address() as AddressInfo).port;
}

async function publish(change: Parameters<World['feed']['publish']>[0]): Promise<void> {
  world.feed.publish(change);
  await until(() => world.gateway.index.companies.get(1)?.version === change.version);
}

const tunnelRecord = {
  id: expect.any(String),
  kind: 'tunnel',
  startedAt: expect.stringMatching(/^20\d\d-.*Z$/),
  ms: expect.any(Number),
  companyId: 1,
  userId: 1,
  siteId: 1001,
  policyId: 1,
  address: '127.0.0.1',
  host: 'crm.company.test',
  count: 1,
};

test('a tunnel is recorded as open, and at its end under the same id with its bytes', async () => {
  const port = await startGreeter();
  await publish(company(['wiki.company.test', `crm.company.test:${port}`], { version: 2 }));
  const tunnel = await openTunnel(world.port, me, `crm.company.test:${port}`);
  await until(() => records().length === 1, 1_500);
  const [first] = records();
  expect(first).toEqual({ ...tunnelRecord, port, open: true, reason: '', up: 0, down: expect.any(Number) });
  tunnel.socket.write('bye!');
  await tunnel.closed;
  const all = await ended(1);
  expect(all).toEqual([
    { ...tunnelRecord, port, id: first?.id, open: false, reason: '', up: 4, down: 5_000 },
  ]);
});

test('a tunnel that ends before the first write is recorded once, closed', async () => {
  const port = await startGreeter();
  await publish(company(['wiki.company.test', `crm.company.test:${port}`], { version: 2 }));
  const tunnel = await openTunnel(world.port, me, `crm.company.test:${port}`);
  tunnel.socket.write('bye!');
  await tunnel.closed;
  await ended(1);
  expect(world.feed.batches.flatMap((batch) => batch.records)).toEqual([
    { ...tunnelRecord, port, open: false, reason: '', up: 4, down: 5_000 },
  ]);
});

test('a tunnel through a proxy of the company names the proxy, and under a policy for all sites no site', async () => {
  const port = await startGreeter(
    (socket) => void socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nhi')),
  );
  const proxy = { ...DIRECT, id: 7, type: 'users', direct: false, host: 'squid.test', port } as const;
  const own = company(['wiki.company.test'], { version: 2, proxy });
  await publish({ ...own, policies: own.policies.map((policy) => ({ ...policy, allSites: true })) });
  const tunnel = await openTunnel(world.port, me, 'foreign.company.test:443');
  await until(() => records().length === 1);
  expect(records()[0]).toMatchObject({ host: 'foreign.company.test', port: 443, proxyId: 7, policyId: 1 });
  expect(records()[0]).not.toHaveProperty('siteId');
  tunnel.socket.destroy();
});

test('a tunnel that its client leaves without a byte has no reason and is no refusal', async () => {
  const tunnel = await openTunnel(world.port, me, host);
  tunnel.socket.destroy();
  expect(await ended(1)).toMatchObject([{ kind: 'tunnel', reason: '', up: 0, down: 0 }]);
});

test('a tunnel whose ClientHello is broken has the reason', async () => {
  const tunnel = await openTunnel(world.port, me, host, '\u0016'.repeat(100));
  await tunnel.closed;
  expect(await ended(1)).toMatchObject([{ kind: 'tunnel', reason: 'sni_mismatch' }]);
});

test('the record of a tunnel whose access was revoked has the reason', async () => {
  const tunnel = await openTunnel(world.port, me, host, 'GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => tunnel.got().includes('drop'));
  await publish(company([host], { version: 2, users: [] }));
  await tunnel.closed;
  const [record] = await ended(1);
  expect(record).toMatchObject({ kind: 'tunnel', reason: 'no_policy', host: 'crm.company.test' });
  expect(record?.down).toBeGreaterThan(100);
});

test('requests inside a tunnel belong to the record of the tunnel', async () => {
  const request = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
  const tunnel = await openTunnel(world.port, me, host, request);
  await until(() => tunnel.got().includes('hello from'));
  tunnel.socket.write(request);
  await until(() => tunnel.got().split('hello from').length === 3);
  const answered = tunnel.got().length;
  tunnel.socket.destroy();
  const all = await ended(1);
  expect(all).toHaveLength(1);
  expect(all[0]).toMatchObject({ kind: 'tunnel', count: 1, up: 2 * request.length, down: answered });
});

test('requests of one connection are counted by site', async () => {
  const socket = connect({ port: world.port, host: '127.0.0.1' });
  let got = '';
  socket.on('data', (data) => (got += data));
  for (const [i, site] of [host, host, host.replace('crm', 'wiki'), host].entries()) {
    socket.write(
      `GET http://${site}/secret-path?secret-query HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`,
    );
    await until(() => got.split('hello from').length === i + 2);
  }
  await until(() => records().length === 2);
  expect(records().every(({ open }) => open)).toBe(true);
  socket.destroy();
  const all = await ended(2);
  const shared = { kind: 'requests', userId: 1, companyId: 1, policyId: 1, address: '127.0.0.1' };
  expect(all).toMatchObject([
    { ...shared, siteId: 1001, host: 'crm.company.test', count: 3 },
    { ...shared, siteId: 1000, host: 'wiki.company.test', count: 1 },
  ]);
  const sum = (key: 'up' | 'down') => all.reduce((total, record) => total + record[key], 0);
  expect([sum('up'), sum('down')]).toEqual([socket.bytesWritten, got.length]);
  expect(JSON.stringify(world.feed.arrived)).not.toContain('secret');
});

test('a WebSocket by Upgrade is recorded like a tunnel', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await publish(company([`crm.company.test:${port}`], { version: 2 }));
  server.on('connection', (ws) => ws.send('welcome'));
  const client = new WebSocket(`ws://127.0.0.1:${world.port}/`, {
    finishRequest(req) {
      req.path = `http://crm.company.test:${port}/secret`;
      req.setHeader('Proxy-Authorization', `Basic ${Buffer.from(me).toString('base64')}`);
      req.end();
    },
  });
  await once(client, 'message');
  await until(() => records().length === 1);
  expect(records()[0]).toMatchObject({ kind: 'websocket', open: true, port, userId: 1, count: 1 });
  client.close();
  const [record] = await ended(1);
  // A text frame with seven bytes of payload, then a close frame.
  expect(record).toMatchObject({ kind: 'websocket', reason: '', down: 9 + 2 });
});

test('refusals are grouped by user, host and reason, and have no path', async () => {
  for (let i = 0; i < 3; i++) await get(world.port, me, 'http://foreign.company.test/secret-path?secret');
  await openTunnel(world.port, me, 'foreign.company.test:80');
  await get(world.port, credentials(2), `http://${host}/`);
  const all = await ended(2);
  expect(all).toMatchObject([
    {
      kind: 'refusal',
      userId: 1,
      companyId: 1,
      host: 'foreign.company.test',
      port: 80,
      reason: 'site_unknown',
      count: 4,
    },
    { kind: 'refusal', userId: 2, companyId: 1, siteId: 1001, reason: 'no_policy', count: 1 },
  ]);
  expect(JSON.stringify(world.feed.arrived)).not.toContain('secret');
});

test('a request that Node’s parser rejects is a refusal; inside a tunnel it has the tunnel’s user and host', async () => {
  const broken = 'GET / HTTP/1.1\r\nBroken header\r\n\r\n';
  await raw(world.port, broken);
  const tunnel = await openTunnel(world.port, me, host);
  tunnel.socket.write(broken);
  await tunnel.closed;
  const all = await ended(3);
  expect(all.filter(({ kind }) => kind === 'refusal')).toMatchObject([
    { reason: 'bad_request', address: '127.0.0.1', host: '', count: 1 },
    { reason: 'bad_request', userId: 1, companyId: 1, host: host.split(':')[0], count: 1 },
  ]);
});

test('attempts without valid credentials are grouped by client address, without user and host', async () => {
  await raw(world.port, `CONNECT ${host} HTTP/1.1\r\n\r\n`);
  await raw(world.port, 'CONNECT other.test:443 HTTP/1.1\r\n\r\n');
  await raw(world.port, `CONNECT ${host} HTTP/1.1\r\n\r\n`, '127.0.0.5');
  const all = await ended(2);
  const shared = { kind: 'refusal', reason: 'no_credentials', host: '', port: 0 };
  expect(all).toMatchObject([
    { ...shared, address: '127.0.0.1', count: 2 },
    { ...shared, address: '127.0.0.5', count: 1 },
  ]);
  expect(all[0]).not.toHaveProperty('userId');
});

test('a request whose client leaves within the response is recorded', async () => {
  const client = connect(world.port, '127.0.0.1');
  client.write(`GET http://${host}/drip HTTP/1.1\r\nHost: x\r\n${authorization(me)}\r\n`);
  await once(client, 'data');
  client.destroy();
  expect(await ended(1)).toMatchObject([{ kind: 'requests', count: 1, reason: '' }]);
});

test('a failed request is recorded as a refusal alone', async () => {
  await publish(company([`dead.company.test:${world.origin.port}`], { version: 2 }));
  await get(world.port, me, `http://dead.company.test:${world.origin.port}/`);
  expect(await ended(1)).toMatchObject([{ kind: 'refusal', reason: 'connect_failed', count: 1 }]);
});

test('a probe leaves no record', async () => {
  const expires = Math.floor(Date.now() / 1000) + 60;
  const token = signProbeToken(gatewayKeys(SECRET), {
    host: 'crm.company.test',
    port: world.origin.port,
    expires,
  });
  expect(await get(world.port, `probe:${token}`, `http://${host}/`)).toContain('hello from');
  const tunnel = await openTunnel(world.port, `probe:${token}`, host);
  expect(tunnel.status).toBe(200);
  tunnel.socket.destroy();
  expect((await openTunnel(world.port, `probe:${token}`, 'foreign.company.test:443')).status).toBe(403);
  await get(world.port, me, `http://${host}/`);
  expect(await ended(1)).toMatchObject([{ kind: 'requests', userId: 1, count: 1 }]);
});

test('the record of a client behind a balancer has the address of its PROXY protocol header', async () => {
  const behind = await startWorld((port) => [company([`crm.company.test:${port}`])], {
    GATEWAY_PROXY_PROTOCOL: '127.0.0.1',
  });
  const header = Buffer.from('0d0a0d0a000d0a515549540a2111000cc0000207c00002080001000200', 'hex').subarray(
    0,
    28,
  );
  await raw(behind.port, `${header.toString('latin1')}CONNECT x.test:1 HTTP/1.1\r\n\r\n`);
  await until(() => behind.feed.records().length === 1);
  expect(behind.feed.records()[0]).toMatchObject({ kind: 'refusal', address: '192.0.2.7' });
  await behind[Symbol.asyncDispose]();
});

test('after a change of the company’s setting no record has more of an address, neither sent nor in the spool', async () => {
  const from = '127.0.0.77';
  const visited = (target: string) =>
    raw(
      world.port,
      `GET http://${target}/ HTTP/1.1\r\nHost: x\r\n${authorization(me)}Connection: close\r\n\r\n`,
      from,
    );
  /** The kind and the address of each record except the tunnel's, from the nth record on. */
  const addresses = (n: number) =>
    records()
      .filter(({ kind }) => kind !== 'tunnel')
      .slice(n)
      .map(({ kind, address }) => `${kind} ${address}`)
      .toSorted();
  const tunnel = await openTunnel(world.port, me, host);
  tunnel.socket.write('GET /drip HTTP/1.1\r\nHost: x\r\n\r\n');
  await visited(host);
  await visited('foreign.company.test');
  await until(() => records().length === 3);
  expect(addresses(0)).toEqual([`refusal ${from}`, `requests ${from}`]);
  const sites = [`wiki.company.test:${world.origin.port}`, host];
  await publish({ ...company(sites, { version: 2 }), addresses: 'network' });
  await visited(host);
  await visited('other.company.test');
  await until(() => records().length === 5);
  expect(addresses(2)).toEqual(['refusal 127.0.0.0', 'requests 127.0.0.0']);

  await publish({ ...company(sites, { version: 3 }), addresses: 'none' });
  world.feed.answerRecords(500);
  const arrived = world.feed.arrived.length;
  await visited(host);
  await visited('third.company.test');
  tunnel.socket.destroy();
  const folder = join(world.dataDir, 'gateway-records');
  const files = async () => (await readdir(join(folder, '0'))).filter((name) => name.endsWith('.batch'));
  await until(() => world.feed.arrived.length > arrived);
  await sleep(1_500);
  const spool = new RecordSpool({
    folder,
    worker: 0,
    workers: 1,
    slots: { own: 0, others: [] },
    key: gatewayKeys(SECRET).records,
    most: 1e8,
  });
  const { batches } = await spool.open();
  const spooled = await Promise.all(batches.map(async (batch) => String(await spool.read(batch))));
  expect(spooled.join()).toContain('third.company.test');
  expect(spooled.join()).toContain('crm.company.test');
  expect(spooled.join()).not.toContain('127.0.0.');
  for (const name of await files())
    expect((await readFile(join(folder, '0', name))).includes('127.0.0.')).toBe(false);
  expect(JSON.stringify(world.feed.arrived.slice(arrived))).not.toContain('127.0.0.');
  world.feed.answerRecords('store');
  await until(() => records().length === 7 && records().every(({ open }) => !open));
  expect(addresses(4)).toEqual(['refusal ', 'requests ']);
});

test('a company that stores no addresses does not hide those of attempts without valid credentials', async () => {
  await publish({ ...company([host], { version: 2 }), addresses: 'none' });
  await raw(world.port, `CONNECT ${host} HTTP/1.1\r\n\r\n`, '127.0.0.5');
  expect(await ended(1)).toMatchObject([{ reason: 'no_credentials', address: '127.0.0.5' }]);
  expect(records()[0]).not.toHaveProperty('companyId');
});

test('an owner ends one visit by its record, then all of a user; a foreign company ends none', async () => {
  const port = await startGreeter();
  await publish(company(['wiki.company.test', `crm.company.test:${port}`], { version: 2, users: [1, 2] }));
  const target = `crm.company.test:${port}`;
  const first = await openTunnel(world.port, me, target);
  await until(() => records().length === 1, 1_500);
  const second = await openTunnel(world.port, me, target);
  const third = await openTunnel(world.port, credentials(2), target);
  await until(() => records().length === 3, 1_500);
  const open = () => records().filter((each) => each.open).length;
  world.feed.send('end', JSON.stringify({ companyId: 2, user: 1 }));
  const elapsed = stopwatch();
  world.feed.send('end', JSON.stringify({ companyId: 1, record: records()[0]?.id }));
  await first.closed;
  expect(elapsed()).toBeLessThan(1_000);
  await until(() => open() === 2, 1_500);
  world.feed.send('end', JSON.stringify({ companyId: 1, user: 1 }));
  await second.closed;
  await until(() => open() === 1, 1_500);
  expect(records().map(({ userId, reason, open: isOpen }) => [userId, reason, isOpen])).toEqual([
    [1, 'ended', false],
    [1, 'ended', false],
    [2, '', true],
  ]);
  third.socket.destroy();
});
