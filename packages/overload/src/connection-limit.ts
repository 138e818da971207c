import type { Server, Socket } from 'node:net';
import type { MemoryPressure } from './memory-pressure.ts';
import { subscriberOf } from './networks.ts';

export interface ConnectionLimitOptions {
  /** The most open connections. */
  readonly most: number;
  readonly isShort: MemoryPressure;
  /** Whether an address is a reverse proxy, which many clients share. */
  readonly isProxy?: (address: string) => boolean;
  /** Called for each refused connection. */
  readonly onRefused?: () => void;
}

/**
 * Limits a server's connections: in total, to half of it from one subscriber, and to the open ones under memory pressure (as
 * Envoy's overload manager). A refused connection is reset, and the 'connection' listeners registered before this call do not
 * see it. A listener registered later sees it with a destroyed socket: it may count arrivals, but must not use the socket.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { most, isShort, isProxy = () => false, onRefused = () => {} } = options;
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  // grows: by strangers, by addresses; bound: SOCKETS addresses with an open connection; at the bound: further
  // connections are reset
  const byAddress = new Map<string, number>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const subscriber = subscriberOf(address);
    const mine = byAddress.get(subscriber) ?? 0;
    const many = mine >= Math.ceil(most / 2) && !isProxy(address);
    if (open >= most || many || isShort()) {
      onRefused();
      socket.resetAndDestroy();
      return;
    }
    open += 1;
    byAddress.set(subscriber, mine + 1);
    socket.once('close', () => {
      open -= 1;
      const left = (byAddress.get(subscriber) ?? 1) - 1;
      if (left === 0) byAddress.delete(subscriber);
      else byAddress.set(subscriber, left);
    });
    for (const listener of listeners) listener.call(server, socket);
  });
}
