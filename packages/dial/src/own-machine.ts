import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { inNetworks, type Networks, plainAddress } from './addresses.ts';

/**
 * Connections of tenants to the machine that dials. A connection to a public address of the own machine passes no firewall, so
 * it would reach databases and panels that no other machine reaches. Ports 80 and 443 serve the public: they stay open.
 */

export interface OwnMachineOptions {
  readonly allowNetworks: Networks;
  /** Further addresses that lead to this machine: the public one of NAT or of a container host (GATEWAY_OWN_ADDRESSES). */
  readonly ownAddresses?: readonly string[];
  /** Ports of the product on this machine, refused even in allowed networks. */
  readonly ownPorts?: ReadonlySet<number>;
  /** The URL of the echo: every proxy reaches its host and port. */
  readonly echoUrl?: string | undefined;
}

const FRESH_MS = 10_000;
const publicPorts = new Set([80, 443]);
const loopback = { v4: ipaddr.IPv4.parseCIDR('127.0.0.0/8'), v6: ipaddr.IPv6.parseCIDR('::1/128') };

/** Tells which ports of the own machine tenants may reach. */
export class OwnMachine {
  readonly #further: readonly string[];
  readonly #ports: ReadonlySet<number>;
  readonly #named: Networks;
  readonly #echo: URL | undefined;
  /** The addresses of the interfaces and the further ones, replaced when they have changed. */
  // grows: not, replaced as a whole
  #addresses: ReadonlySet<string> = new Set();
  #readAt = Number.NEGATIVE_INFINITY;
  /** By list: whether an address of it is the own machine's, and whether the operator named all of those. */
  // grows: by list of addresses; bound: the lists that the resolver keeps; at the bound: collected with its list
  #known = new WeakMap<readonly string[], 'other' | 'named' | 'own'>();

  constructor(options: OwnMachineOptions) {
    const { allowNetworks, ownAddresses = [], ownPorts = new Set(), echoUrl } = options;
    this.#further = ownAddresses;
    this.#ports = ownPorts;
    this.#named = namingNetworks(allowNetworks);
    this.#echo = echoUrl === undefined ? undefined : new URL(echoUrl);
  }

  /** Whether a connection to one of the addresses of a host would reach a port of this machine that tenants must not reach. */
  refuses(host: string, addresses: readonly string[], port: number): boolean {
    this.#refresh();
    let kind = this.#known.get(addresses);
    if (kind === undefined) this.#known.set(addresses, (kind = this.#kindOf(addresses)));
    if (kind === 'other') return false;
    if (this.#isEcho(host, port)) return false;
    return this.#ports.has(port) || (kind === 'own' && !publicPorts.has(port));
  }

  #kindOf(addresses: readonly string[]): 'other' | 'named' | 'own' {
    const own = addresses.map(plainAddress).filter((address) => this.#isOwn(address));
    if (own.length === 0) return 'other';
    return own.every((address) => inNetworks(address, this.#named)) ? 'named' : 'own';
  }

  #isOwn(address: string): boolean {
    // Connecting to the wildcard address reaches this machine.
    return address === '0.0.0.0' || address === '::' || isLoopback(address) || this.#addresses.has(address);
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

function isLoopback(address: string): boolean {
  return inNetworks(address, { v4: [loopback.v4], v6: [loopback.v6] });
}

/** The networks that name addresses of this machine: single addresses and loopback ones. A wider network is that of others. */
function namingNetworks({ v4, v6 }: Networks): Networks {
  return {
    v4: v4.filter(([ip, length]) => length === 32 || (length >= 8 && ip.match(loopback.v4))),
    v6: v6.filter(([, length]) => length === 128),
  };
}
