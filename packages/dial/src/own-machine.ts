import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { inNetworks, type Networks, plainAddress } from './addresses.ts';

/**
 * Restricts connections of tenants to this machine, the one that dials. A connection to a public address of this machine passes no
 * firewall, so it would reach databases and panels that other machines cannot reach. Ports 80 and 443 are public and stay allowed.
 */

export interface OwnMachineOptions {
  readonly allowNetworks: Networks;
  /** Further addresses that reach this machine: the public address of NAT or of a container host (GATEWAY_OWN_ADDRESSES). */
  readonly ownAddresses?: readonly string[];
  /** Ports of the product on this machine, refused even in allowed networks. */
  readonly ownPorts?: ReadonlySet<number>;
  /**
   * The address and port that this process listens on; null before it listens. On ports 80 and 443, only connections to this address
   * are refused: other addresses of this machine may serve sites.
   */
  readonly ownListener?: () => { readonly address: string; readonly port: number } | null;
  /** The URL of the echo endpoint. Connections to its host and port are allowed even on this machine. */
  readonly echoUrl?: string | undefined;
}

const FRESH_MS = 10_000;
const publicPorts = new Set([80, 443]);
const loopback = { v4: ipaddr.IPv4.parseCIDR('127.0.0.0/8'), v6: ipaddr.IPv6.parseCIDR('::1/128') };

/** Decides which ports of this machine tenants may reach. */
export class OwnMachine {
  readonly #further: readonly string[];
  readonly #ports: ReadonlySet<number>;
  readonly #listener: OwnMachineOptions['ownListener'];
  readonly #named: Networks;
  readonly #echo: URL | undefined;
  /** The addresses of this machine: those of its interfaces and `ownAddresses`. */
  // Grows with interface and with GATEWAY_OWN_ADDRESSES. Bound: the addresses of this machine. At the bound: a refresh replaces
  // the set
  #addresses: ReadonlySet<string> = new Set();
  #readAt = Number.NEGATIVE_INFINITY;
  /**
   * The kind of each list of resolved addresses. `other`: the list has no address of this machine. `named`: the list has addresses
   * of this machine, and GATEWAY_ALLOW_NETWORKS names each of them. `own`: GATEWAY_ALLOW_NETWORKS does not name each of them.
   */
  // Grows with address list. Bound: lists in the resolver's cache (4,096 names) and in use by connections, below 1 MB. At the
  // bound: the garbage collector removes an entry with its list
  #known = new WeakMap<readonly string[], 'other' | 'named' | 'own'>();

  constructor(options: OwnMachineOptions) {
    const { allowNetworks, ownAddresses = [], ownPorts = new Set(), echoUrl } = options;
    this.#further = ownAddresses;
    this.#ports = ownPorts;
    this.#listener = options.ownListener;
    this.#named = namingNetworks(allowNetworks);
    this.#echo = echoUrl === undefined ? undefined : new URL(echoUrl);
  }

  /** Whether an address of the host is one of this machine, on a port that tenants must not reach. */
  refuses(host: string, addresses: readonly string[], port: number): boolean {
    this.#refresh();
    let kind = this.#known.get(addresses);
    if (kind === undefined) this.#known.set(addresses, (kind = this.#kindOf(addresses)));
    if (kind === 'other') return false;
    if (this.#isEcho(host, port)) return false;
    if (this.#ports.has(port) || (kind === 'own' && !publicPorts.has(port))) return true;
    const own = this.#listener?.();
    if (port !== own?.port) return false;
    const address = plainAddress(own.address);
    return !publicPorts.has(port) || isWildcard(address) || addresses.map(plainAddress).includes(address);
  }

  #kindOf(addresses: readonly string[]): 'other' | 'named' | 'own' {
    const own = addresses.map(plainAddress).filter((address) => this.#isOwn(address));
    if (own.length === 0) return 'other';
    return own.every((address) => inNetworks(address, this.#named)) ? 'named' : 'own';
  }

  #isOwn(address: string): boolean {
    // Connecting to the wildcard address reaches this machine.
    return isWildcard(address) || isLoopback(address) || this.#addresses.has(address);
  }

  #isEcho(host: string, port: number): boolean {
    if (this.#echo === undefined) return false;
    const { hostname, port: given, protocol } = this.#echo;
    return host === hostname && port === Number(given || (protocol === 'https:' ? 443 : 80));
  }

  #refresh(): void {
    const now = performance.now();
    if (now - this.#readAt < FRESH_MS) return;
    this.#readAt = now;
    const here = Object.values(networkInterfaces()).flatMap((list = []) =>
      list.map(({ address }) => address),
    );
    const addresses = new Set([...here, ...this.#further].map(plainAddress));
    if ([...addresses].join() === [...this.#addresses].join()) return;
    this.#addresses = addresses;
    this.#known = new WeakMap();
  }
}

const isWildcard = (address: string) => address === '0.0.0.0' || address === '::';

function isLoopback(address: string): boolean {
  return inNetworks(address, { v4: [loopback.v4], v6: [loopback.v6] });
}

/** The allowed networks that identify this machine: single addresses, and networks within 127.0.0.0/8. Wider ones are ignored. */
function namingNetworks({ v4, v6 }: Networks): Networks {
  return {
    v4: v4.filter(([ip, length]) => length === 32 || (length >= 8 && ip.match(loopback.v4))),
    v6: v6.filter(([, length]) => length === 128),
  };
}
