import type { Server, Socket } from 'node:net';
import type { MemoryPressure } from './memory-pressure.ts';
import { subscriberOf } from './networks.ts';

export interface ConnectionLimitOptions {
  /** The most connections at once. */
  readonly most: number;
  readonly isShort: MemoryPressure;
  /** Reverse proxies: one address stands for many clients. */
  readonly isProxy?: (address: string) => boolean;
  /** A connection was refused. */
  readonly onRefused?: () => void;
}

/**
 * Limits a server's connections: to a number, to half of it from one address, and to those that are open while memory is
 * short (Envoy's overload manager does the same). A refused one is reset, and the server's listeners never see it. Call it
 * after every other listener for connections is registered.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { most, isShort, isProxy = () => false, onRefused = () => {} } = options;
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  // grows: by strangers, by addresses; bound: SOCKETS addresses with an open connection; at the bound: further
  // connections are reset; test: none
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
