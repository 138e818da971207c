import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { stop } from './client.ts';

/** A site for attack tests. It sends as fast as its client reads, and ignores the bytes of its client. */
export interface FloodOrigin {
  /**
   * HTTP: `/small` replies with a word; `/sink` reads no body and never replies; any other path replies
   * with SIZE bytes.
   */
  readonly http: number;
  /** No protocol: sends bytes at once and without end. */
  readonly raw: number;
  stop(): Promise<void>;
}

const SIZE = 64 * 1024 * 1024;
const CHUNK = Buffer.alloc(65_536, 'x');

async function startFloodOrigin(): Promise<Pick<FloodOrigin, 'http' | 'raw'>> {
  const http = createHttpServer((req, res) => {
    req.on('error', () => {});
    res.on('error', () => {});
    if (req.url === '/sink') return;
    if (req.url === '/small') return void res.end('small');
    res.writeHead(200, { 'content-length': SIZE });
    flood(SIZE).pipe(res);
  });
  const raw = createServer((socket) => void flood(Infinity).pipe(socket));
  for (const server of [http, raw]) {
    server.on('connection', (socket: Socket) => void socket.on('error', () => {}));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  return { http: portOf(http), raw: portOf(raw) };
}

/** Starts the site on loopback in its own process, so that its load does not slow the test's clients. */
export async function forkFloodOrigin(): Promise<FloodOrigin> {
  const child = fork(import.meta.filename, { execArgv: [] });
  const [{ http, raw }] = (await once(child, 'message')) as [{ http: number; raw: number }];
  return { http, raw, stop: () => stop(child) };
}

/** A stream that repeats one chunk on demand. */
function flood(bytes: number): Readable {
  let left = bytes;
  return new Readable({
    read() {
      this.push(left > 0 ? CHUNK : null);
      left -= CHUNK.length;
    },
  });
}

if (import.meta.main) {
  const { http, raw } = await startFloodOrigin();
  process.send?.({ http, raw });
  // The IPC channel closes when the test process exits.
  process.on('disconnect', () => process.exit(0));
}
