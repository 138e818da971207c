import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type ConnectionLimitOptions, limitConnections } from './connection-limit.ts';

/** A server that greets each connection. @returns what a client that comes from an address gets */
async function start(options: Partial<ConnectionLimitOptions>) {
  let refused = 0;
  const server = createServer((socket) => void socket.on('error', () => {}).write('hello'));
  limitConnections(server, {
    most: 8,
    isShort: () => false,
    onRefused: () => (refused += 1),
    ...options,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const come = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    return new Promise<string>((resolve) => {
      socket.once('data', (bytes) => resolve(bytes.toString())).once('error', () => resolve('refused'));
    });
  };
  return {
    come,
    sockets,
    refused: () => refused,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

test('one address gets at most half of the connections, and a closed connection frees its slot', async () => {
  await using server = await start({});
  const mine: string[] = [];
  for (let i = 0; i < 6; i++) mine.push(await server.come());
  expect(mine).toEqual(['hello', 'hello', 'hello', 'hello', 'refused', 'refused']);
  const others: string[] = [];
  for (let i = 2; i < 8; i++) others.push(await server.come(`127.0.0.${i}`));
  expect(others).toEqual(['hello', 'hello', 'hello', 'hello', 'refused', 'refused']);
  expect(server.refused()).toBe(4);
  server.sockets[0]?.destroy();
  // The server notices the closed connection in a moment.
  await expect.poll(() => server.come()).toBe('hello');
});

test('a reverse proxy may use all connections', async () => {
  await using server = await start({ isProxy: (address) => address === '127.0.0.1' });
  for (let i = 0; i < 8; i++) expect(await server.come()).toBe('hello');
  expect(await server.come()).toBe('refused');
});

test('a full listener with short exchanges accepts a new connection, and closes the oldest one of the address with the most connections', async () => {
  await using server = await start({ displaces: true });
  for (let i = 0; i < 6; i++) expect(await server.come()).toBe('hello');
  for (let i = 0; i < 4; i++) expect(await server.come('127.0.0.2')).toBe('hello');
  for (let i = 3; i < 7; i++) expect(await server.come(`127.0.0.${i}`)).toBe('hello');
  const open = () => server.sockets.map(({ destroyed }) => !destroyed);
  await expect.poll(() => open().filter(Boolean)).toHaveLength(8);
  // Open are the newest two connections of each of the first two addresses, and the only connection of each other address.
  const [first, second, single] = [open().slice(0, 6), open().slice(6, 10), open().slice(10)];
  expect([first, second]).toEqual([
    [false, false, false, false, true, true],
    [false, false, true, true],
  ]);
  expect(single).toEqual([true, true, true, true]);
  expect(server.refused()).toBe(6);
});

test('new connections are refused while memory is short, and open ones stay', async () => {
  let short = false;
  await using server = await start({ isShort: () => short });
  expect(await server.come()).toBe('hello');
  short = true;
  expect(await server.come()).toBe('refused');
  expect(server.sockets[0]?.destroyed).toBe(false);
  short = false;
  expect(await server.come()).toBe('hello');
});

test('a listener registered before the limit sees accepted connections only, a later one also refused ones', async () => {
  const server = createServer((socket) => void socket.on('error', () => {}));
  const seen = { before: 0, after: [] as boolean[] };
  server.on('connection', () => (seen.before += 1));
  limitConnections(server, { most: 2, isShort: () => false });
  server.on('connection', (socket) => seen.after.push(socket.destroyed));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const accepted = connect({ port, host: '127.0.0.1' });
  await once(accepted, 'connect');
  const refused = connect({ port, host: '127.0.0.1' });
  await new Promise((resolve) => refused.on('error', () => {}).once('close', resolve));
  expect(seen).toEqual({ before: 1, after: [false, true] });
  accepted.destroy();
  server.close();
  await once(server, 'close');
});
