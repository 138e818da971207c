import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { HELLO_MODE_AT } from './hello.ts';

/**
 * The sites behind the proxies, and a company's upstream proxy, in the load's process. It does as little
 * work as a server can. The first bytes decide the protocol: CONNECT (answered as if the tunnel led here),
 * HTTP, or a ClientHello whose random bytes carry the mode.
 */

const HELLO_BACK = Buffer.alloc(1_200, 22);
const BULK = Buffer.alloc(256 * 1024, 7);
const BODY = 'x'.repeat(1_024);
const RESPONSE = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
);

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
    if (first.subarray(0, 8).toString('latin1') === 'CONNECT ') {
      // tinyproxy sends the head of its CONNECT line by line, so wait for the rest.
      if (!first.includes('\r\n\r\n')) {
        socket.once('data', (more: Buffer) => begin(socket, Buffer.concat([first, more])));
        return;
      }
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.once('data', (next: Buffer) => begin(socket, next));
      return;
    }
    answer(socket, first);
    socket.on('data', (more: Buffer) => answer(socket, more));
    return;
  }
  switch (String.fromCharCode(first[HELLO_MODE_AT] ?? 0)) {
    case 'e':
      socket.write(HELLO_BACK);
      socket.on('data', (data) => socket.write(data));
      return;
    case 'b': {
      const pump = () => {
        while (!socket.destroyed && socket.write(BULK));
      };
      socket.on('drain', pump);
      pump();
      return;
    }
    case 'i':
      socket.write(HELLO_BACK);
      return;
    default:
      // Reply once and close, like a short request over TLS.
      socket.end(HELLO_BACK);
  }
}

/** Answers a request. The load sends each request in one chunk, and one at a time. */
function answer(socket: Socket, data: Buffer): void {
  if (data.at(-1) === 10) socket.write(RESPONSE);
}
