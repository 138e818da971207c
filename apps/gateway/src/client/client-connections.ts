import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientAddress } from '@propusk/overload/connection-limit';
import { ClientConnection } from './client-connection.ts';
import type { ProxyContext } from './context.ts';

/** The client connections of one server. */
export class ClientConnections {
  // Grows with connections of clients. Bound: SOCKETS connections. At the bound: further connections are reset
  readonly #sockets = new Set<Socket>();
  readonly #secure: boolean;
  /** TCP sockets in a TLS handshake, by remote port: the TLS events carry another object, the TLSSocket. */
  // Grows with connections of clients. Bound: SOCKETS connections. At the bound: further connections are reset, and a handshake
  // ends after 10 s
  readonly #handshakes = new Map<string, Socket>();
  // Grows with connections of clients. Bound: SOCKETS connections. At the bound: further connections are reset
  readonly #open = new Map<Duplex, ClientConnection>();
  readonly #closed = { up: 0, down: 0 };

  /** Counts a server's sockets. @param secure whether it speaks TLS */
  constructor(server: Server, secure: boolean) {
    this.#secure = secure;
    server.on('connection', (socket) => {
      const port = secure ? portOf(socket) : '';
      this.#sockets.add(socket);
      if (secure) this.#handshakes.set(port, socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#open.delete(socket);
        if (secure && this.#handshakes.get(port) === socket) this.#handshakes.delete(port);
        this.#closed.up += socket.bytesRead;
        this.#closed.down += socket.bytesWritten;
      });
    });
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Bytes on the wire since the start: `up` from clients, `down` to them. */
  bytes(): { up: number; down: number } {
    const sum = { ...this.#closed };
    for (const { bytesRead, bytesWritten } of this.#sockets) {
      sum.up += bytesRead;
      sum.down += bytesWritten;
    }
    return sum;
  }

  /** Bytes written to clients and not yet in the kernel's buffer. */
  unsent(): number {
    let bytes = 0;
    for (const { writableLength } of this.#sockets) bytes += writableLength;
    return bytes;
  }

  /** Waits for the first bytes of a socket that is ready to be read. */
  accept(socket: Socket, context: ProxyContext): void {
    const port = this.#secure ? portOf(socket) : '';
    // The client's address from a PROXY protocol header is stored with the TCP socket, not with the TLSSocket.
    const address = clientAddress(this.#handshakes.get(port) ?? socket);
    if (this.#secure) this.#handshakes.delete(port);
    if (socket.destroyed) return;
    const connection = new ClientConnection(socket, address, context);
    this.#open.set(socket, connection);
    if (this.#secure) socket.once('close', () => this.#open.delete(socket));
    connection.open();
  }

  /** The connection of a socket; undefined after its 'close', and for a TLS handshake that failed. */
  of(socket: Duplex): ClientConnection | undefined {
    return this.#open.get(socket);
  }

  /** All connections that are open. */
  all(): Iterable<ClientConnection> {
    return this.#open.values();
  }

  /** Ends the connections that have sent no request: they would only delay a stop. */
  endSilent(): void {
    for (const socket of this.#handshakes.values()) socket.destroy();
    for (const [socket, { silent }] of this.#open) if (silent) socket.destroy();
  }
}

function portOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
