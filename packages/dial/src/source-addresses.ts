import { createSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import { plainAddress } from './addresses.ts';
import { familyOf } from './family-order.ts';
import type { EgressAddresses } from './settings.ts';

/**
 * The local addresses of connections to sites. A socket that binds to one takes a port that no other socket gets, whatever its
 * destination: Node cannot set IP_BIND_ADDRESS_NO_PORT (ip(7)). A socket without a bind shares its port with those to other
 * destinations, so a socket binds only where the kernel would choose another address.
 */

/** Routes and addresses of the machine change. */
const FRESH_MS = 10_000;
/** The most destinations whose answer is kept. */
const MOST = 10_000;
/** No datagram is sent to it. */
const PORT = 443;

export class SourceAddresses {
  readonly #egress: EgressAddresses;
  /** By destination: whether a socket must bind, and when the kernel was asked. */
  // grows: by addresses of sites; bound: 10,000, about 200 bytes each; at the bound: the oldest is removed
  readonly #known = new Map<string, { readonly at: number; bind: boolean | Promise<boolean> }>();

  constructor({ v4, v6 }: EgressAddresses) {
    this.#egress = { ...(v4 && { v4: plainAddress(v4) }), ...(v6 && { v6: plainAddress(v6) }) };
  }

  /** Whether a socket to a destination must bind, to the address of `of()`. */
  mustBind(destination: string): boolean | Promise<boolean> {
    const egress = this.of(destination);
    if (egress === undefined) return false;
    const known = this.#known.get(destination);
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.bind;
    const asked = this.#set(
      destination,
      kernelChoice(destination).then((chosen) => (asked.bind = chosen !== egress)),
    );
    return asked.bind;
  }

  /** The local address of connections to a destination; undefined for any. */
  of(destination: string): string | undefined {
    return familyOf(destination) === 4 ? this.#egress.v4 : this.#egress.v6;
  }

  /** Whether a connection has the right local address. If not, the routes have changed: the kernel is asked again for each destination. */
  check(destination: string, socket: Socket): boolean {
    const egress = this.of(destination);
    if (egress === undefined || plainAddress(socket.localAddress ?? '') === egress) return true;
    this.#known.clear();
    this.#set(destination, true);
    return false;
  }

  #set(destination: string, bind: boolean | Promise<boolean>) {
    const known = { at: performance.now(), bind };
    this.#known.delete(destination);
    this.#known.set(destination, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

/** The source address that the kernel chooses for a destination (udp(7)); empty without a route. */
function kernelChoice(destination: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket(familyOf(destination) === 4 ? 'udp4' : 'udp6');
    const end = (address: string) => {
      socket.close();
      resolve(address);
    };
    socket.once('error', () => end(''));
    socket.once('connect', () => end(plainAddress(socket.address().address)));
    socket.connect(PORT, destination);
  });
}
