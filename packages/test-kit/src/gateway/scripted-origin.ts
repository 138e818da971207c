import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A site that answers with given bytes, valid HTTP or not. */
export interface ScriptedOrigin extends AsyncDisposable {
  readonly port: number;
  /** Sets the reply for new connections, closes the open ones, and clears the received bytes and the count of connections. */
  answer(reply: Reply): void;
  /** All bytes received since the last `answer`, as Latin-1. */
  received(): string;
  /** The connections since the last `answer`. */
  connections(): number;
}

/** The bytes that answer a request head, or a function that writes them. */
export type Reply = string | ((socket: Socket, received: string) => void);

/** Starts a site that answers every head of a request, and does not interpret it. */
export async function startScriptedOrigin(): Promise<ScriptedOrigin> {
  let reply: Reply = '';
  let [received, connections] = ['', 0];
  // Grows with connections of a test. Bound: the open connections of one case. At the bound: `answer` closes all of them
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    let heads = 0;
    let own = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      own += text;
      received += text;
      const seen = own.split(/^[A-Z-]+ \S+ HTTP\/1\.[01]\r\n(?:[^\r\n]+\r\n)+\r\n/m).length - 1;
      for (; heads < seen; heads++) {
        if (typeof reply === 'string') socket.write(reply, 'latin1');
        else reply(socket, own);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    answer(next) {
      for (const socket of sockets) socket.destroy();
      [reply, received, connections] = [next, '', 0];
    },
    received: () => received,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
