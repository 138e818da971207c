import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';

/** A site for attacks. It sends as fast as its client reads, and reads nothing of what its client sends. */
export interface FloodOrigin {
  /** HTTP: `/small` answers a word; `/sink` reads no body and never answers; anything else answers SIZE bytes. */
  readonly http: number;
  /** No protocol: sends at once, and without an end. */
  readonly raw: number;
  stop(): Promise<void>;
}

const SIZE = 64 * 1024 * 1024;
const CHUNK = Buffer.alloc(65_536, 'x');

/** Starts it on loopback. */
export async function startFloodOrigin(): Promise<FloodOrigin> {
  const sockets = new Set<Socket>();
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
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  return {
    http: portOf(http),
    raw: portOf(raw),
    async stop() {
      const closed = [http, raw].map((server) => once(server, 'close'));
      for (const server of [http, raw]) server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** The same chunk again and again, when it is asked for. */
function flood(bytes: number): Readable {
  let left = bytes;
  return new Readable({
    read() {
      this.push(left > 0 ? CHUNK : null);
      left -= CHUNK.length;
    },
  });
}
