import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OriginSource } from './origin-source.ts';
import { nothing, Splice } from './splice.ts';

/** All tunnels read into one shared buffer: a tunnel must never show bytes of another. */

/** In bytes: more than the kernel buffers for a client that does not read. */
const SIZE = 16 * 2 ** 20;
let site: Server;
let gateway: Server;
let made = 0;
const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  // Each connection receives a single byte value, in chunks of all lengths.
  site = createServer((socket) => {
    const value = made++ % 251;
    socket.on('error', () => {});
    let left = SIZE;
    const more = () => {
      while (left > 0) {
        const piece = Buffer.alloc(Math.min(left, 1 + ((left * 7919) % 150_000)), value);
        left -= piece.length;
        if (!socket.write(piece)) return;
      }
      socket.end();
    };
    socket.on('drain', more);
    more();
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  gateway = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => {});
    const source = new OriginSource();
    const { onread } = source;
    const remote = connect({ port: portOf(site), host: '127.0.0.1', allowHalfOpen: true, onread });
    remote.on('error', () => {});
    remote.once('connect', () =>
      new Splice(client, remote, source, 60_000, () => {}).start(nothing, nothing),
    );
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
});
afterAll(() => {
  site?.close();
  gateway?.close();
});

/** Reads a tunnel at its own pace. @returns the byte values received, and their number */
async function read(pace: 'fast' | 'slow' | 'leaves'): Promise<{ values: Set<number>; length: number }> {
  const socket: Socket = connect(portOf(gateway), '127.0.0.1');
  const values = new Set<number>();
  let length = 0;
  if (pace !== 'fast') await sleep(200);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    length += chunk.length;
    for (let i = 0; i < chunk.length; i += 97) values.add(chunk[i] ?? -1);
    values.add(chunk.at(-1) ?? -1);
    if (pace === 'slow' && length % 5 === 0) await sleep(2);
    if (pace === 'leaves' && length > SIZE / 3) break;
  }
  return { values, length };
}

test('24 fast, slow and aborted tunnels each receive their own bytes, complete', async () => {
  const paces = ['fast', 'slow', 'leaves'] as const;
  for (let round = 0; round < 2; round++) {
    const seen = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => ({
        pace: paces[i % 3],
        ...(await read(paces[i % 3] ?? 'fast')),
      })),
    );
    for (const { pace, values, length } of seen) {
      expect(values.size).toBe(1);
      if (pace === 'leaves') expect(length).toBeGreaterThan(SIZE / 3);
      else expect(length).toBe(SIZE);
    }
  }
  expect(made).toBe(24);
});
