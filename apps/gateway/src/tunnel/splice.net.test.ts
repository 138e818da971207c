import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OriginSource } from './origin-source.ts';
import { nothing, Splice } from './splice.ts';

/** Tunnels read into a shared buffer and into blocks that are used again: a tunnel must never show bytes of another. */

/** In bytes: more than the kernel buffers for a client that does not read. */
const SIZE = 16 * 2 ** 20;
let site: Server;
/** Takes uploads. */
let sink: Server;
let gateway: Server;
let uploads: Server;
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
  sink = createServer({ allowHalfOpen: true }, digest).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  gateway = proxyTo(site);
  uploads = proxyTo(sink);
  await Promise.all([once(gateway, 'listening'), once(uploads, 'listening')]);
});
afterAll(() => {
  for (const server of [site, sink, gateway, uploads]) server?.close();
});

/** Starts a server that splices each of its connections to a new connection to the given server. */
function proxyTo(server: Server): Server {
  return createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => {});
    const source = new OriginSource();
    const { onread } = source;
    const remote = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true, onread });
    remote.on('error', () => {});
    remote.once('connect', () =>
      new Splice(client, remote, source, 60_000, () => {}).start(nothing, nothing),
    );
  }).listen(0, '127.0.0.1');
}

/** Reads an upload at the pace that its first byte names, and answers with its length and hash. */
async function digest(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  const hash = createHash('sha256');
  let length = 0;
  let isSlow: boolean | undefined;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    // Longer than it takes to fill the kernel's buffers.
    if (isSlow === undefined && chunk[0] === 1) await sleep(300);
    isSlow ??= chunk[0] === 1;
    hash.update(chunk);
    length += chunk.length;
    if (isSlow && length % 5 === 0) await sleep(2);
  }
  socket.end(`${length} ${hash.digest('hex')}`);
}

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

/** No two places of it look alike. */
const pattern = randomBytes(2 * SIZE);

/** Uploads a part of the pattern, in pieces of all lengths. @returns what the site answers, and what it should */
async function upload(seed: number, leaves: boolean): Promise<{ got: string; sent: string }> {
  const socket = connect({ port: portOf(uploads), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  const bytes = Buffer.from(pattern.subarray(seed * 1_000_003, seed * 1_000_003 + SIZE));
  bytes[0] = seed % 2;
  const end = leaves ? SIZE / 3 : SIZE;
  for (let at = 0; at < end; ) {
    const piece = bytes.subarray(at, at + 1 + ((at * 7919) % 150_000));
    at += piece.length;
    if (!socket.write(piece)) await once(socket, 'drain');
  }
  if (leaves) socket.destroy();
  else socket.end();
  let got = '';
  if (!leaves) for await (const chunk of socket as AsyncIterable<Buffer>) got += chunk.toString();
  return { got, sent: `${SIZE} ${createHash('sha256').update(bytes).digest('hex')}` };
}

test('24 uploads to fast and slow sites, some of them aborted, each arrive complete and unchanged', async () => {
  for (let round = 0; round < 2; round++) {
    const all = await Promise.all(Array.from({ length: 12 }, (_, i) => upload(i, i % 3 === 2)));
    const whole = all.filter((_, i) => i % 3 !== 2);
    expect(whole.map(({ got }) => got)).toEqual(whole.map(({ sent }) => sent));
  }
});
