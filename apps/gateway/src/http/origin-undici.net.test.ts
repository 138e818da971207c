import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, raw, statusAndReason } from '@propusk/test-kit/gateway/client';
import {
  authorization,
  company,
  credentials,
  startWorld,
  until,
  type World,
} from '@propusk/test-kit/gateway/world';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

/**
 * Plain requests to sites that reply with malformed, slow or truncated responses. The sites send raw bytes.
 */

let world: World;
let server: Server;
let authority: string;
const me = credentials(1);
/** Connections to the site, and the request heads received on all of them. */
let sockets: Socket[] = [];
let heads: string[] = [];
/** The site's behaviour for a request. @param nth position of the request on its connection, from 1 */
let site: (socket: Socket, nth: number, head: string) => void;

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.push(socket);
    let nth = 0;
    socket.on('error', () => {}).setEncoding('latin1');
    socket.on('data', (head: string) => {
      heads.push(head);
      site(socket, ++nth, head);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  authority = `crm.company.test:${(server.address() as AddressInfo).port}`;
  const names = sites().map((name) => `${name.split(':')[0]}=127.0.0.1`);
  world = await startWorld(() => [company(sites())], { GATEWAY_HOSTS: names.join(',') });
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  heads = [];
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  server.close();
});

/** One of many host names of the site. */
const many = (i: number) => `s${i}.company.test:${authority.split(':')[1]}`;

const sites = () => [authority, ...Array.from({ length: 9 }, (_, i) => many(i))];

const whole = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
const request = (path: string, { method = 'GET', at = authority, more = '' } = {}) =>
  `${method} http://${at}${path} HTTP/1.1\r\nHost: x\r\n${authorization(me)}${more}\r\n`;

/** A client that keeps its connection open. */
class Kept {
  readonly socket = connect(world.port, '127.0.0.1').setEncoding('latin1');
  got = '';
  closed = false;
  constructor() {
    this.socket
      .on('error', () => {})
      .on('data', (data: string) => (this.got += data))
      .on('close', () => (this.closed = true));
  }
  /** Sends a request. @returns the bytes of its reply, up to the text `last` */
  async ask(bytes: string, last: string): Promise<string> {
    this.got = '';
    this.socket.write(bytes, 'latin1');
    await until(() => this.got.endsWith(last) || this.closed);
    return this.got;
  }
}

test('a GET on a reused connection that the site closes is retried on a new one', async () => {
  site = (socket, nth) => {
    if (nth === 1) socket.write(whole('one'));
    else socket.destroy();
  };
  const client = new Kept();
  expect(statusAndReason(await client.ask(request('/1'), 'one'))).toBe('200');
  expect(statusAndReason(await client.ask(request('/2'), 'one'))).toBe('200');
  expect(heads.map((head) => head.split(' ')[1])).toEqual(['/1', '/2', '/2']);
  client.socket.destroy();
});

test('a GET on a reused connection that was reset before sending is sent on a new one', async () => {
  site = (socket) => socket.write(whole('one'));
  const client = new Kept();
  await client.ask(request('/'), 'one');
  for (let i = 0; i < 5; i++) {
    const asked = client.ask(request(`/${i}`), 'one');
    // Reset in the same iteration of the event loop as the request, so that the gateway sees both events together.
    sockets.at(-1)?.resetAndDestroy();
    expect(statusAndReason(await asked)).toBe('200');
  }
  client.socket.destroy();
});

test('a request whose response has begun is not retried', async () => {
  site = (socket, nth) => {
    if (nth === 1) socket.write(whole('one'));
    else socket.end('HTTP/1.1 200 OK\r\nX-A: b\r\nContent-');
  };
  const client = new Kept();
  await client.ask(request('/1'), 'one');
  expect(statusAndReason(await client.ask(request('/2'), '</html>\n'))).toBe('502 connect_failed');
  expect(heads.length).toBe(2);
  client.socket.destroy();
});

test('a POST on a reused connection and a GET on a new one are sent only once', async () => {
  site = (socket, nth, head) => {
    if (nth === 1 && head.startsWith('POST /1')) socket.write(whole('one'));
    else socket.destroy();
  };
  const client = new Kept();
  await client.ask(request('/1', { method: 'POST' }), 'one');
  expect(statusAndReason(await client.ask(request('/2', { method: 'POST' }), '</html>\n'))).toBe(
    '502 connect_failed',
  );
  expect(statusAndReason(await get(world.port, me, `http://${authority}/3`))).toBe('502 connect_failed');
  expect(heads.map((head) => head.split(' ', 2).join(' '))).toEqual(['POST /1', 'POST /2', 'GET /3']);
  client.socket.destroy();
});

test('surplus bytes after a response never become the next response', async () => {
  site = (socket, nth) => {
    if (sockets.length === 1) socket.write(whole(`first ${nth}`) + whole('stray'));
    else socket.write(whole('second'));
  };
  const client = new Kept();
  expect(await client.ask(request('/1'), 'first 1')).not.toContain('stray');
  expect(await client.ask(request('/2'), 'second')).not.toContain('stray');
  expect(sockets.length).toBe(2);
  client.socket.destroy();
});

test.each([
  ['one early response', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', '200'],
  ['sixteen early responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(16), '200'],
  ['seventeen early responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(17), '502 bad_response'],
  ['an unexpected 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n', '200'],
  ['a 101', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', '502 bad_response'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n', '502 bad_response'],
  [
    'length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
    '502 bad_response',
  ],
  ['a folded header', 'HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\n', '502 bad_response'],
  ['a bare line feed', 'HTTP/1.1 200 OK\nX-A: b\n', '502 bad_response'],
])('the gateway handles %s before the response', async (_, before, said) => {
  site = (socket) => socket.end(before + whole('one'));
  const got = await get(world.port, me, `http://${authority}/`);
  expect(statusAndReason(got)).toBe(said);
  if (said !== '200') expect(Buffer.from(got, 'latin1').toString()).toContain('нарушает правила HTTP');
});

test("a client that expects 100 Continue gets it, and a site's unexpected 100 to a POST does no harm", async () => {
  site = (socket) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${whole('one')}`);
  const waits = request('/', { more: 'Expect: 100-continue\r\nConnection: close\r\n' });
  expect(await raw(world.port, waits)).toMatch(
    /^HTTP\/1\.1 100 Continue\r\nVia: [^\r]+\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
  );
  const posts = request('/', { method: 'POST', more: 'Content-Length: 0\r\nConnection: close\r\n' });
  expect(await raw(world.port, posts)).toContain('HTTP/1.1 200 OK');
});

test('after a first response with 100 Continue, the site receives each further request of the client connection once', async () => {
  site = (socket) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${whole('one')}`);
  const client = new Kept();
  for (let i = 1; i <= 3; i++) expect(statusAndReason(await client.ask(request(`/${i}`), 'one'))).toBe('200');
  expect(heads.map((head) => head.split(' ')[1])).toEqual(['/1', '/1', '/2', '/3']);
  site = (socket) => socket.write(whole('one'));
  for (const at of [many(0), many(0)]) await client.ask(request('/', { at }), 'one');
  expect(sockets.length).toBe(5);
  client.socket.destroy();
});

test('reason phrase and header values keep their bytes', async () => {
  const [utf8, latin1] = [Buffer.from('Хорошо').toString('latin1'), 'caf\xe9'];
  site = (socket) =>
    socket.end(
      `HTTP/1.1 200 ${utf8}\r\nX-Name: ${latin1}\r\nx-NAME: 2\r\nContent-Length: 0\r\n\r\n`,
      'latin1',
    );
  const got = await get(world.port, me, `http://${authority}/`);
  expect(got).toContain(`HTTP/1.1 200 ${utf8}\r\nX-Name: ${latin1}\r\nx-NAME: 2\r\n`);
});

test('a HEAD response has no body, whatever its length, and keeps its connection', async () => {
  const alive = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: keep-alive\r\n\r\n';
  site = (socket, _nth, head) => socket.write(head.startsWith('HEAD') ? alive : whole('one'));
  const client = new Kept();
  expect(await client.ask(request('/', { method: 'HEAD' }), '\r\n\r\n')).toContain('Content-Length: 9');
  expect(await client.ask(request('/'), 'one')).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Length: 3\r\n/);
  expect(sockets.length).toBe(1);
  client.socket.destroy();
});

test.each([' ', '  '])('white space after a Content-Length is ignored: %j', async (space) => {
  site = (socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 3${space}\r\n\r\none`);
  const client = new Kept();
  for (let i = 0; i < 3; i++) {
    expect(await client.ask(request('/'), 'one')).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Length: 3\r\n/);
  }
  await sleep(50);
  expect(client.closed).toBe(false);
  client.socket.destroy();
});

test.each(
  ['GET', 'POST'].flatMap((method) => [
    [method, 'its length is not reached', 'Content-Length: 9\r\n\r\nhalf', false] as const,
    [method, 'its chunks have no end', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', false] as const,
    [method, 'its connection is reset, which was to be its end', '\r\nhalf', true] as const,
  ]),
)('a truncated response to %s is truncated for the client too: %s', async (method, _, rest, reset) => {
  site = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${rest}`);
    setTimeout(() => (reset ? socket.resetAndDestroy() : socket.end()), 50);
  };
  const got = await raw(world.port, request('/', { method, more: 'Connection: close\r\n' }));
  expect(got).toContain('half');
  expect(got.endsWith('0\r\n\r\n'), 'the end of a whole one').toBe(false);
});

test('a response to a POST is truncated when the reset of its connection breaks a write of the body', async () => {
  site = (socket) => {
    socket.pause().write('HTTP/1.1 200 OK\r\n\r\nhalf');
    setTimeout(() => socket.resetAndDestroy(), 50);
  };
  for (let i = 0; i < 10; i++) {
    const more = 'Connection: close\r\nContent-Length: 20000000\r\n';
    const client = new Kept();
    client.socket.write(request('/', { method: 'POST', more }));
    const writes = setInterval(() => client.socket.write('a'.repeat(10_000)), 1);
    await until(() => client.closed || client.got.endsWith('0\r\n\r\n'));
    clearInterval(writes);
    expect(client.got).toMatch(/half\r\n$/);
  }
});

test('a response without a length, which ends when the site closes, reaches the client complete', async () => {
  site = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it');
  expect(await get(world.port, me, `http://${authority}/`)).toMatch(/all of it\r\n0\r\n\r\n$/);
});

test('a slow client slows the site down, and then receives everything', async () => {
  const piece = 'x'.repeat(65_536);
  const pieces = 1_024;
  let written = 0;
  site = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${piece.length * pieces}\r\n\r\n`);
    const pump = () => {
      while (written < pieces && !socket.destroyed) {
        written += 1;
        if (!socket.write(piece)) return;
      }
    };
    socket.on('drain', pump);
    pump();
  };
  const client = connect(world.port, '127.0.0.1');
  client.write(request('/', { more: 'Connection: close\r\n' }));
  let got = 0;
  client.on('data', (bytes) => (got += bytes.length)).pause();
  await until(() => written > 10);
  let before = 0;
  while (before !== written) {
    before = written;
    await sleep(200);
  }
  expect(written, 'of 1024 pieces, with nobody who takes them').toBeLessThan(400);
  client.resume();
  await once(client, 'close');
  expect(got).toBeGreaterThan(piece.length * pieces);
});

test('a client that leaves aborts its request at the site', async () => {
  site = () => {};
  const client = new Kept();
  client.socket.write(request('/'));
  await until(() => heads.length === 1);
  client.socket.destroy();
  await expect.poll(() => sockets[0]?.closed).toBe(true);
});

test('access revoked during a slow response gives 403 and aborts the request at the site', async () => {
  site = () => {};
  const client = new Kept();
  const refused = client.ask(request('/'), '</html>\n');
  await until(() => heads.length === 1);
  const version = world.gateway.index.companies.get(1)?.version ?? 0;
  world.feed.publish(company([many(0)], { version: version + 1 }));
  expect(statusAndReason(await refused)).toBe('403 site_unknown');
  await expect.poll(() => sockets[0]?.closed).toBe(true);
  world.feed.publish(company(sites(), { version: version + 2 }));
  await until(() => world.gateway.index.companies.get(1)?.version === version + 2);
  site = (socket) => socket.write(whole('one'));
  expect(statusAndReason(await client.ask(request('/'), 'one'))).toBe('200');
  client.socket.destroy();
});

test.each(['GET', 'POST'])(
  'a %s pipelined behind unread responses is authorized when it is read',
  async (method) => {
    const client = connect(world.port, '127.0.0.1').on('error', () => {});
    client.pause();
    // 8,000 refusals of 2 KB exceed the kernel's buffers.
    const refused = request('/', { at: 'unknown.test' });
    client.write(refused.repeat(8_000) + request('/last', { method }));
    // The gateway stops reading the client, whose bytes then stay in the buffers.
    for (let before = -1; before !== client.writableLength; await sleep(300)) before = client.writableLength;
    expect([world.gateway.activeRequests(), heads.length]).toEqual([0, 0]);
    const version = world.gateway.index.companies.get(1)?.version ?? 0;
    world.feed.publish(company([many(0)], { version: version + 1 }));
    await until(() => world.gateway.index.companies.get(1)?.version === version + 1);
    let answers = 0;
    let carry = '';
    client.setEncoding('latin1').on('data', (text: string) => {
      answers += (carry + text).split('HTTP/1.1 403').length - 1;
      carry = text.slice(-'HTTP/1.1 40'.length);
    });
    client.resume();
    await expect.poll(() => answers).toBe(8_001);
    expect(heads.length).toBe(0);
    client.destroy();
    world.feed.publish(company(sites(), { version: version + 2 }));
    await until(() => world.gateway.index.companies.get(1)?.version === version + 2);
  },
);

test('a client keeps at most four origin connections, however many sites it uses', async () => {
  site = (socket) => socket.write(whole('one'));
  const client = new Kept();
  for (let i = 0; i < 9; i++) {
    expect(statusAndReason(await client.ask(request('/', { at: many(i) }), 'one'))).toBe('200');
  }
  await until(() => sockets.filter((socket) => !socket.closed).length === 4);
  // The gateway keeps the most recent connections, so that it must connect to the first site again.
  await client.ask(request('/', { at: many(8) }), 'one');
  expect(sockets.length).toBe(9);
  await client.ask(request('/', { at: many(0) }), 'one');
  expect(sockets.length).toBe(10);
  client.socket.destroy();
  await until(() => sockets.every((socket) => socket.closed));
});
