import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { HELLO_MODE_AT } from './hello.ts';

/**
 * The sites behind the proxies, in the load's process. It does as little work as a server can. The first
 * bytes decide the protocol: HTTP, or a ClientHello whose random bytes carry the mode.
 */

const HELLO_BACK = Buffer.alloc(1_200, 22);
const BULK = Buffer.alloc(256 * 1024, 7);
const BODY = 'x'.repeat(1_024);
const RESPONSE = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
);

/** The bytes that all tunnels of mode `up` have brought after their ClientHello. */
export const arrived = { bytes: 0 };

/** Starts the origin. @returns its port, on every loopback address */
export async function startOrigin(): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', (first: Buffer) => begin(socket, first));
  });
  server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function begin(socket: Socket, first: Buffer): void {
  if (first[0] !== 22) {
    answer(socket, first);
    socket.on('data', (more: Buffer) => answer(socket, more));
    return;
  }
  switch (String.fromCharCode(first[HELLO_MODE_AT] ?? 0)) {
    case 'u':
      socket.write(HELLO_BACK);
      socket.on('data', ({ length }) => {
        arrived.bytes += length;
      });
      return;
    case 'd':
      pump(socket);
      return;
    case 'i':
      socket.write(HELLO_BACK);
      return;
    default:
      // Reply once and close, like a short request over TLS.
      socket.end(HELLO_BACK);
  }
}

/** Writes to a socket without end, as fast as it takes the bytes. */
export function pump(socket: Socket): void {
  const write = () => {
    while (!socket.destroyed && socket.write(BULK));
  };
  socket.on('drain', write);
  write();
}

/** Answers a request. The load sends each request in one chunk, and one at a time. */
function answer(socket: Socket, data: Buffer): void {
  if (data.at(-1) === 10) socket.write(RESPONSE);
}
