import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { plainAddress } from './addresses.ts';
import { familyOf } from './family-order.ts';
import type { EgressAddresses } from './settings.ts';

/** Routes change, so results of `kernelDiffers` are cached for 10 s, and for at most 10,000 destinations. */
const [FRESH_MS, MOST] = [10_000, 10_000];

/**
 * The local addresses of connections to sites. A socket that binds to one takes a port for all destinations, because Node cannot
 * set IP_BIND_ADDRESS_NO_PORT (ip(7)). So a socket binds only where the kernel would choose another address.
 */
export class SourceAddresses {
  readonly #egress: EgressAddresses;
  /** By destination: whether a socket must bind. */
  // Grows with addresses of sites. Bound: 10,000, about 200 bytes each. At the bound: the map is cleared, as it is after 10 s
  readonly #binds = new Map<string, Promise<boolean>>();
  #since = 0;

  constructor(egress: EgressAddresses) {
    this.#egress = egress;
  }

  /** The local address of connections to a destination; undefined for any. */
  of(destination: string): string | undefined {
    return familyOf(destination) === 4 ? this.#egress.v4 : this.#egress.v6;
  }

  /** Whether a socket to a destination must bind to the address of `of()`. */
  mustBind(destination: string): false | Promise<boolean> {
    const egress = this.of(destination);
    if (egress === undefined) return false;
    if (performance.now() - this.#since > FRESH_MS || this.#binds.size >= MOST) {
      this.#binds.clear();
      this.#since = performance.now();
    }
    const bind = this.#binds.get(destination) ?? kernelDiffers(destination, egress);
    this.#binds.set(destination, bind);
    return bind;
  }

  /** Whether a connection left from the right address. If not, a route has changed, and this destination needs a bind. */
  check(destination: string, socket: Socket): boolean {
    const egress = this.of(destination);
    // `localAddress` is a system call, so it is read only where it matters.
    if (egress === undefined || plainAddress(socket.localAddress ?? '') === plainAddress(egress)) return true;
    this.#binds.clear();
    this.#binds.set(destination, Promise.resolve(true));
    return false;
  }
}

/**
 * Whether the kernel would use another local address than `egress` for a destination; also true when the look-up fails. Connecting a
 * UDP socket selects the local address and sends nothing (udp(7)).
 */
async function kernelDiffers(destination: string, egress: string): Promise<boolean> {
  const socket = createSocket(familyOf(destination) === 4 ? 'udp4' : 'udp6');
  try {
    socket.connect(443, destination);
    await once(socket, 'connect');
    return plainAddress(socket.address().address) !== plainAddress(egress);
  } catch {
    return true;
  } finally {
    socket.close();
  }
}
