import type { Server, Socket } from 'node:net';
import type { MemoryPressure } from './memory-pressure.ts';
import { subscriberOf } from './networks.ts';
import { readProxyHeaders } from './proxy-protocol.ts';

/** Why a connection is reset: SOCKETS, half of it from one address, memory, or first bytes that are no PROXY protocol header. */
export type ConnectionRefusal = 'sockets' | 'address' | 'memory' | 'proxy_header';

export interface ConnectionLimitOptions {
  /** The most open connections. */
  readonly most: number;
  readonly isShort: MemoryPressure;
  /** Whether an address is a reverse proxy, which many clients share. */
  readonly isProxy?: (address: string) => boolean;
  /** Whether an address is a TCP balancer, whose connections must begin with a header that names the client (proxy-protocol.ts). */
  readonly sendsHeader?: ((address: string) => boolean) | undefined;
  /**
   * Whether a new connection at the limit is accepted and closes the oldest connection of the subscriber with the most connections.
   * One subscriber may then use all connections while no other subscriber connects. For listeners with short exchanges, where an old
   * connection is idle.
   */
  readonly displaces?: boolean;
  /** Called for each refused or displaced connection. */
  readonly onRefused?: (reason: ConnectionRefusal) => void;
}

/** The clients that balancers named. */
// Grows with connections of balancers. Bound: SOCKETS connections. At the bound: an entry ends with its socket
const named = new WeakMap<Socket, string>();

/** The client's IP address of an accepted connection: from its PROXY protocol header, else the peer's; empty once unknown. */
export function clientAddress(socket: Socket): string {
  const address = named.get(socket) ?? socket.remoteAddress ?? '';
  // An IPv4 client of a listener for both families (RFC 4291 section 2.5.5.2).
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}

/**
 * Limits a server's connections: in total, to half of it from one subscriber, and to the open ones under memory pressure (as
 * Envoy's overload manager). A refused connection is reset, and the 'connection' listeners registered before this call do not
 * see it. They see a balancer's connection behind its header. A listener registered later sees every connection at once, a
 * refused one with a destroyed socket: it may count arrivals, but must not use the socket.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const {
    most,
    isShort,
    isProxy = () => false,
    sendsHeader,
    displaces = false,
    onRefused = () => {},
  } = options;
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  // Grows with connections of clients. Bound: `most` connections of as many subscribers. At the bound: further connections are
  // reset, or close older ones
  const bySubscriber = new Map<string, Set<Socket>>();
  let open = 0;

  const refuse = (socket: Socket, reason: ConnectionRefusal) => {
    onRefused(reason);
    socket.resetAndDestroy();
  };
  /** Why no connection is accepted now. Waiting headers count: a balancer must not hold any number of connections. */
  const closedBy = () => {
    if (open + (headers?.waiting ?? 0) >= most) return 'sockets';
    return isShort() ? 'memory' : null;
  };
  const leave = (socket: Socket, subscriber: string) => {
    const sockets = bySubscriber.get(subscriber);
    if (sockets?.delete(socket) !== true) return;
    open -= 1;
    if (sockets.size === 0) bySubscriber.delete(subscriber);
  };
  /** Closes the oldest connection of the subscriber with the most connections. Stops counting it at once, before its event 'close'. */
  const displaceOne = () => {
    let [fullest, size] = ['', 0];
    for (const [subscriber, sockets] of bySubscriber) {
      if (sockets.size > size) [fullest, size] = [subscriber, sockets.size];
    }
    const [oldest] = bySubscriber.get(fullest) ?? [];
    if (oldest === undefined) return;
    leave(oldest, fullest);
    refuse(oldest, 'sockets');
  };
  const admit = (socket: Socket, address: string, shared: boolean) => {
    if (displaces && open >= most) displaceOne();
    const closed = closedBy();
    if (closed !== null) return refuse(socket, closed);
    const subscriber = subscriberOf(address);
    const sockets = bySubscriber.get(subscriber) ?? new Set();
    const mayTakeAll = displaces || shared || isProxy(address);
    if (sockets.size >= Math.ceil(most / 2) && !mayTakeAll) return refuse(socket, 'address');
    open += 1;
    bySubscriber.set(subscriber, sockets.add(socket));
    socket.once('close', () => leave(socket, subscriber));
    for (const listener of listeners) listener.call(server, socket);
  };
  const headers =
    sendsHeader &&
    readProxyHeaders(
      server,
      (socket, client) => {
        if (client !== null) named.set(socket, client);
        admit(socket, client ?? socket.remoteAddress ?? '', client === null);
      },
      (socket) => refuse(socket, 'proxy_header'),
    );

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    // Reset before it was accepted, as a balancer's health check is.
    if (address === undefined) return void socket.destroy();
    if (headers === undefined || !sendsHeader?.(address)) return admit(socket, address, false);
    const closed = closedBy();
    if (closed === null) headers.read(socket);
    else refuse(socket, closed);
  });
}
