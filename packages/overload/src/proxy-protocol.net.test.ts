import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitConnections } from './connection-limit.ts';

/** A balancer at 127.0.0.1 before a server of 8 connections. */

const SIGNATURE = '0d0a0d0a000d0a515549540a';
const hex = (text: string) => Buffer.from(SIGNATURE + text, 'hex');
/** The header of a client at 192.0.2.x. */
const tcp4 = (client: number) => hex(`2111000cc000020${client}c63364010a0b0c38`);
/** The same client, with its address mapped into IPv6. */
const tcp6 = (client: number) => hex(`21210024${`${'0'.repeat(20)}ffffc000020${client}`.repeat(2)}0a0b0c38`);
const LOCAL = hex('20000000');
const GET = Buffer.from('GET');

/** A server that sends back what it reads, behind a greeting. */
async function start({ allowHalfOpen = true } = {}) {
  const refused: string[] = [];
  const server = createServer({ allowHalfOpen }, (socket) => {
    socket.on('error', () => {}).on('end', () => socket.end());
    socket.write('hello ');
    socket.on('data', (bytes) => socket.write(bytes));
  });
  limitConnections(server, {
    most: 8,
    isShort: () => false,
    sendsHeader: (address) => address === '127.0.0.1',
    onRefused: (reason) => refused.push(reason),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  /** Connects. @returns what has come back so far: bytes, then the error that ended the connection */
  const open = (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    sockets.push(socket);
    let got = '';
    socket.on('data', (bytes) => (got += bytes.toString('latin1')));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => (got += code));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { socket, closed, got: () => got };
  };
  return {
    server,
    refused,
    open,
    /** Sends bytes on a new connection. @returns the first answer */
    async send(bytes: Buffer, from?: string): Promise<string> {
      const { socket, closed, got } = open(from);
      socket.write(bytes);
      await Promise.race([closed, new Promise((resolve) => socket.once('data', resolve))]);
      return got();
    },
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

test.each([
  ['TCP over IPv4', tcp4(7)],
  ['TCP over IPv6', tcp6(7)],
  ['LOCAL', LOCAL],
])(
  'the server gets the bytes behind a header of %s in one chunk, in two or one by one',
  async (_, header) => {
    await using balanced = await start();
    const whole = Buffer.concat([header, GET]);
    for (const pieces of [[whole], [header, GET], [...whole].map((byte) => Buffer.from([byte]))]) {
      const { socket, got } = balanced.open();
      for (const piece of pieces) {
        socket.write(piece);
        await sleep(2);
      }
      await expect.poll(got).toBe('hello GET');
    }
    expect(balanced.refused).toEqual([]);
  },
);

test.each([true, false])(
  'a client that half-closes behind header and request gets its response (allowHalfOpen: %s)',
  async (allowHalfOpen) => {
    await using balanced = await start({ allowHalfOpen });
    const { socket, closed, got } = balanced.open();
    socket.end(Buffer.concat([tcp4(7), GET]));
    await closed;
    expect(got()).toBe('hello GET');
  },
);

test.each([
  ['no header', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['version 1', Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 51000 3128\r\nGET')],
  ['a header of UDP', hex('2112000cc0000207c63364010a0b0c38')],
])("a balancer's connection with %s is reset before the server sees it", async (_, bytes) => {
  await using balanced = await start();
  expect(await balanced.send(bytes)).toBe('ECONNRESET');
  expect(balanced.refused).toEqual(['proxy_header']);
});

test('a header that ends early is reset and counted, a connection without a byte only ends', async () => {
  await using balanced = await start();
  const [cut, empty] = [balanced.open(), balanced.open()];
  cut.socket.end(tcp4(7).subarray(0, 27));
  empty.socket.end();
  await Promise.all([cut.closed, empty.closed]);
  expect([cut.got(), empty.got()]).toEqual(['ECONNRESET', '']);
  expect(balanced.refused).toEqual(['proxy_header']);
});

test('each client behind a balancer has its own share, in both spellings of its address', async () => {
  await using balanced = await start();
  for (const header of [tcp4(7), tcp6(7), tcp4(7), tcp6(7)])
    expect(await balanced.send(header)).toBe('hello ');
  expect(await balanced.send(tcp4(7))).toBe('ECONNRESET');
  for (let i = 0; i < 4; i++) expect(await balanced.send(tcp4(8))).toBe('hello ');
  expect(await balanced.send(tcp4(9))).toBe('ECONNRESET');
  expect(balanced.refused).toEqual(['address', 'sockets']);
});

test('the balancer itself has no share', async () => {
  await using balanced = await start();
  for (let i = 0; i < 8; i++) expect(await balanced.send(LOCAL)).toBe('hello ');
});

test("an unlisted address that sends headers spends its own share, and the server gets the header's bytes", async () => {
  await using balanced = await start();
  const spoofer = balanced.open('127.0.0.9');
  spoofer.socket.write(tcp4(1));
  await expect.poll(spoofer.got).toBe(`hello ${tcp4(1).toString('latin1')}`);
  for (let i = 2; i < 5; i++) expect(await balanced.send(tcp4(i), '127.0.0.9')).toMatch(/^hello /);
  expect(await balanced.send(tcp4(5), '127.0.0.9')).toBe('ECONNRESET');
  expect(balanced.refused).toEqual(['address']);
});

test('connections that wait for a header count against SOCKETS; further bytes do not prolong their 5 s', async () => {
  await using balanced = await start();
  const waiting = Array.from({ length: 8 }, () => balanced.open());
  await expect.poll(balanced.connections).toBe(8);
  expect(await balanced.send(tcp4(7))).toBe('ECONNRESET');
  expect(balanced.refused).toEqual(['sockets']);
  for (const byte of tcp4(7).subarray(0, 27)) {
    waiting[0]?.socket.write(Buffer.from([byte]));
    await sleep(250);
  }
  expect(waiting.map(({ got }) => got())).toEqual(waiting.map(() => 'ECONNRESET'));
  expect(await balanced.send(tcp4(7))).toBe('hello ');
});

test('a connection that closes without its header frees its slot', async () => {
  await using balanced = await start();
  const waiting = Array.from({ length: 8 }, () => balanced.open());
  await expect.poll(balanced.connections).toBe(8);
  for (const { socket } of waiting) socket.resetAndDestroy();
  await expect.poll(balanced.connections).toBe(0);
  expect(await balanced.send(tcp4(7))).toBe('hello ');
  expect(balanced.refused).toEqual([]);
});

test('a connection without its header ends with the server, before its 5 s', async () => {
  await using balanced = await start();
  const { got, closed } = balanced.open();
  await expect.poll(balanced.connections).toBe(1);
  balanced.server.close();
  await Promise.all([closed, once(balanced.server, 'close')]);
  expect(balanced.refused).toEqual([]);
  expect(got()).toBe('');
});
