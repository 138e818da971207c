import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import {
  type PipelineQueue,
  type PipelineQueues,
  queuePipelines,
  type ServeOptions,
  TrackedResponse,
} from './pipeline-queue.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function serve(
  handler: Handler,
  options: ServeOptions = {},
): Promise<{ port: number; connections: PipelineQueues; open: () => Promise<number> }> {
  const server = createServer({ ServerResponse: TrackedResponse }, handler);
  const connections = queuePipelines(server, 60_000);
  let newest: PipelineQueue | null;
  server.on('connection', (socket) => (newest = connections.serve(socket, options)));
  for (const event of ['upgrade', 'connect'])
    server.on(event, (_req, socket: Socket) => {
      newest?.detach();
      socket.write('HTTP/1.1 200 Switched\r\n\r\n');
    });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const open = () =>
    new Promise<number>((resolve) => void server.getConnections((_, count) => resolve(count)));
  return { port: (server.address() as AddressInfo).port, connections, open };
}

async function client(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Reads until the text holds so many responses, or a minute has passed. */
async function read(socket: Socket, responses: number): Promise<string> {
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString('latin1')));
  for (let i = 0; i < 6_000 && text.split('HTTP/1.1 ').length - 1 < responses; i++) await sleep(10);
  return text;
}

/** The bodies of responses, which hold no line break. */
const bodies = (text: string) =>
  text
    .split('HTTP/1.1 ')
    .slice(1)
    .map((response) => response.split('\r\n\r\n')[1]);

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('a handler starts only after the response before it is flushed', async () => {
  const log: string[] = [];
  const { port } = await serve((req, res) => {
    log.push(`start ${req.url}`);
    res.once('finish', () => log.push(`flushed ${req.url}`));
    setTimeout(() => res.end(req.url), 5);
  });
  const socket = await client(port);
  socket.write(['/1', '/2', '/3'].map(get).join(''));
  const text = await read(socket, 3);
  expect(bodies(text)).toEqual(['/1', '/2', '/3']);
  expect(log).toEqual(['start /1', 'flushed /1', 'start /2', 'flushed /2', 'start /3', 'flushed /3']);
});

test('a client that pipelines and reads nothing starts few handlers, and its bytes stay in the socket', async () => {
  let started = 0;
  const body = Buffer.alloc(400_000);
  const { port, connections } = await serve((_req, res) => {
    started += 1;
    res.end(body);
  });
  const socket = await client(port);
  socket.pause();
  const flood = Buffer.from(get('/').repeat(20_000));
  for (let i = 0; i < flood.length; i += 65_536) socket.write(flood.subarray(i, i + 65_536));
  await sleep(500);
  // The kernel's buffers of both ends take some responses of 400 KB.
  expect(started).toBeLessThan(30);
  expect(connections.waiting().in).toBeLessThanOrEqual(65_536);
});

test.each([
  ['a body of known length', 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n\r\n\r\n567890', 10],
  [
    'a chunked body',
    'POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n',
    4,
  ],
  [
    'a chunked body with a trailer',
    'POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n',
    1,
  ],
  [
    'an unread body',
    'POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n' + 'x'.repeat(100_000),
    0,
  ],
])(
  'the request behind %s waits for its response, however the bytes are cut',
  async (_name, first, length) => {
    for (const size of [1, 3, 7, 1_000, 200_000]) {
      if (size < 100 && first.length > 1_000) continue;
      let running = 0;
      let most = 0;
      const { port } = await serve(async (req, res) => {
        most = Math.max(most, ++running);
        res.once('close', () => (running -= 1));
        let got = 0;
        if (req.url !== '/unread') for await (const bytes of req) got += bytes.length;
        res.end(`${req.url} ${got}`);
      });
      const socket = await client(port);
      socket.setNoDelay(true);
      const sent = first + get('/2') + get('/3');
      for (let i = 0; i < sent.length; i += size) {
        socket.write(sent.slice(i, i + size));
        await new Promise(setImmediate);
      }
      const text = await read(socket, 3);
      expect(bodies(text)).toEqual([`${/\/\w+/.exec(first)?.[0]} ${length}`, '/2 0', '/3 0']);
      expect(most).toBe(1);
    }
  },
);

test('a request after a long upload that the handler reads slowly is answered', async () => {
  const { port } = await serve(async (req, res) => {
    let got = 0;
    for await (const bytes of req) {
      got += bytes.length;
      await sleep(1);
    }
    res.end(`${got}`);
  });
  const socket = await client(port);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n`);
  socket.write(Buffer.alloc(3_000_000));
  socket.write(get('/'));
  const text = await read(socket, 2);
  expect(text).toContain('\r\n\r\n3000000HTTP/1.1 200');
});

test('invalid HTTP is refused once, and the requests before it are answered', async () => {
  const { port } = await serve((_req, res) => res.end('fine'));
  const socket = await client(port);
  socket.write(`${get('/')}garbage\r\n\r\n${get('/')}`);
  const text = await read(socket, 2);
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('a client that half-closes behind its requests gets their responses where the server answers it', async () => {
  const { port } = await serve((req, res) => void setTimeout(() => res.end(req.url), 20), {
    answersHalfClosed: true,
  });
  const socket = await client(port);
  const closed = once(socket, 'close');
  socket.end(get('/1') + get('/2'));
  expect(bodies(await read(socket, 2))).toEqual(['/1', '/2']);
  await closed;
});

test.each([
  'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n',
])('a complete head that switches protocols is not counted as an incomplete one: %j', async (head) => {
  let counted = 0;
  let added = 0;
  const countHead = (bytes: number) => {
    counted += bytes;
    added += Math.max(bytes, 0);
    return true;
  };
  const { port } = await serve((_req, res) => res.end(), { countHead });
  const socket = await client(port);
  socket.write(head);
  await expect.poll(() => added).toBe(head.length);
  socket.write('\r\n');
  expect(await read(socket, 1)).toContain('Switched');
  expect(counted).toBe(0);
});

test.each(['/', '/half-read'])(
  'a client that reads nothing before it has sent its body gets the response that closes the connection: %s',
  async (path) => {
    const { port } = await serve((req, res) => {
      if (path === '/half-read') req.once('data', () => req.pause());
      setTimeout(() => res.writeHead(413, { connection: 'close', 'content-length': 9 }).end('too large'), 50);
    });
    const socket = await client(port);
    socket.pause().on('error', () => {});
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 12000000\r\n\r\n`);
    await new Promise((resolve) => socket.write(Buffer.alloc(12_000_000), resolve));
    let [text, closed] = ['', false];
    socket.on('data', (bytes) => (text += bytes.toString())).once('close', () => (closed = true));
    socket.resume();
    await expect.poll(() => closed).toBe(true);
    expect(bodies(text)).toEqual(['too large']);
  },
);

test('a connection with an early response is closed after its last response, although the client keeps it open', async () => {
  const { port } = await serve((req, res) => res.end(req.url));
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  ends.push(() => socket.destroy());
  socket.write('POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
  expect(bodies(await read(socket, 1))).toEqual(['/1']);
  socket.on('error', () => {});
  socket.write('bGET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(socket, 'end');
  // A write to a connection that the server has destroyed causes a reset.
  await expect
    .poll(() => {
      socket.write('a');
      return socket.closed;
    })
    .toBe(true);
});

test('a connection whose last response was early is closed after 30 s, though the client sends its body and stays', async () => {
  const later = setTimeout;
  const timers = vi.spyOn(globalThis, 'setTimeout');
  timers.mockImplementation(((run: () => void, ms: number) => later(run, ms / 100)) as never);
  const { port, open } = await serve((_req, res) => res.writeHead(413, { connection: 'close' }).end());
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  ends.push(() => socket.destroy());
  socket.on('error', () => {}).resume();
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na');
  await once(socket, 'end');
  socket.write('b');
  await expect.poll(open).toBe(0);
  timers.mockRestore();
});

test('pipelining clients hold at most 16 MiB together, and other clients are served meanwhile', async () => {
  const { port, connections } = await serve((req, res) => {
    if (req.url === '/neighbour') res.end('served');
  });
  let closed = 0;
  const flood = get('/').repeat(3_000);
  for (let i = 0; i < 400; i++) {
    const socket = await client(port);
    socket.on('error', () => {}).once('close', () => (closed += 1));
    socket.write(flood);
  }
  await expect.poll(() => closed).toBeGreaterThan(50);
  // The read that exceeds the limit closes connections.
  await expect.poll(() => connections.waiting().in).toBeLessThanOrEqual(16 * 1024 * 1024);
  expect(connections.waiting().in).toBeGreaterThan(8 * 1024 * 1024);
  const neighbour = await client(port);
  neighbour.write(get('/neighbour'));
  expect(bodies(await read(neighbour, 1))).toEqual(['served']);
});
