import type { Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connections of clients: how many, what passed over them, and which have not asked for anything yet. */
export interface Clients {
  readonly size: number;
  /** Bytes on the wire ever: `up` from clients, `down` to them. */
  bytes(): { up: number; down: number };
  /** Bytes that were written for clients and that they have not taken yet. */
  unsent(): number;
  /** A request came in on this connection. */
  asked(client: Duplex): void;
  /** Ends those that have asked for nothing: they would hold up a stop and have nothing to lose. */
  endSilent(): void;
}

/** Follows a server's connections. @param secure whether it speaks TLS */
export function trackClients(server: Server, secure: boolean): Clients {
  // grows: by strangers, by connections; bound: SOCKETS connections; at the bound: further connections are
  // reset; test: none
  const open = new Set<Socket>();
  /** Under TLS by the port that they come from, for there a request is on another object than the connection. */
  // grows: by strangers, by connections; bound: SOCKETS connections, silent for 10 s at most; at the bound: they are
  // ended; test: apps/gateway/src/timeouts.net.test.ts
  const silent = new Map<unknown, Socket>();
  const nameOf = (socket: Duplex) => (secure ? portOf(socket as Socket) : socket);
  const gone = { up: 0, down: 0 };

  server.on('connection', (socket) => {
    open.add(socket);
    const name = nameOf(socket);
    silent.set(name, socket);
    socket.once('close', () => {
      open.delete(socket);
      if (silent.get(name) === socket) silent.delete(name);
      gone.up += socket.bytesRead;
      gone.down += socket.bytesWritten;
    });
  });

  return {
    get size() {
      return open.size;
    },
    bytes() {
      const sum = { ...gone };
      for (const { bytesRead, bytesWritten } of open) {
        sum.up += bytesRead;
        sum.down += bytesWritten;
      }
      return sum;
    },
    unsent() {
      let bytes = 0;
      for (const { writableLength } of open) bytes += writableLength;
      return bytes;
    },
    asked(client) {
      silent.delete(nameOf(client));
    },
    endSilent() {
      for (const socket of silent.values()) socket.destroy();
    },
  };
}

function portOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
