import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The addresses that the gateway may connect to. A tenant's name can resolve to any address, so the check is on addresses, after
 * resolution (IANA special-purpose registries, RFC 6890).
 */

/** IPv4 networks outside the public internet. */
const refused4 = cidrs4([
  '0.0.0.0/8', // this network (RFC 791)
  '10.0.0.0/8', // private (RFC 1918)
  '100.64.0.0/10', // carrier-grade NAT (RFC 6598)
  '127.0.0.0/8', // loopback (RFC 1122)
  '168.63.129.16/32', // a cloud's machine metadata at a public address
  '169.254.0.0/16', // link-local, most clouds' metadata (RFC 3927)
  '172.16.0.0/12', // private (RFC 1918)
  '192.0.0.0/24', // protocol assignments (RFC 6890)
  '192.0.2.0/24', // documentation (RFC 5737)
  '192.88.99.0/24', // 6to4 relays (RFC 7526)
  '192.168.0.0/16', // private (RFC 1918)
  '198.18.0.0/15', // benchmarks (RFC 2544)
  '198.51.100.0/24', // documentation (RFC 5737)
  '203.0.113.0/24', // documentation (RFC 5737)
  '224.0.0.0/4', // multicast (RFC 5771)
  '240.0.0.0/4', // reserved, and broadcast (RFC 1112)
]);

/**
 * The publicly routed IPv6 (RFC 4291). Outside it are loopback, link-local, unique local, multicast, NAT64, and every form that
 * embeds an IPv4 address: `::ffff:a.b.c.d`, `::a.b.c.d`, `::ffff:0:a.b.c.d`.
 */
const global6 = cidrs6(['2000::/3']);
const refused6 = cidrs6([
  '2001::/23', // protocol assignments, Teredo (RFC 4380) among them
  '2001:db8::/32', // documentation (RFC 3849)
  '2002::/16', // 6to4: carries an IPv4 address (RFC 3056)
  '3ffe::/16', // the former 6bone (RFC 3701)
  '3fff::/20', // documentation (RFC 9637)
]);

/** Networks that the operator allows in addition. */
export interface Networks {
  readonly v4: readonly [ipaddr.IPv4, number][];
  readonly v6: readonly [ipaddr.IPv6, number][];
}

/** Parses `10.0.0.0/8,fd00::/8`. @returns null when a part is not a network */
export function parseNetworks(text: string): Networks | null {
  const v4: [ipaddr.IPv4, number][] = [];
  const v6: [ipaddr.IPv6, number][] = [];
  for (const part of text.split(',')) {
    const [address = '', prefix = '', ...rest] = part.trim().split('/');
    const kind = isIP(address);
    if (kind === 0 || address.includes('%') || rest.length > 0 || !/^\d{1,3}$/.test(prefix)) return null;
    const length = Number(prefix);
    if (length > (kind === 4 ? 32 : 128)) return null;
    if (kind === 4) v4.push([ipaddr.IPv4.parse(address), length]);
    else v6.push([ipaddr.IPv6.parse(address), length]);
  }
  return { v4, v6 };
}

/** Whether the gateway may connect to an address, given as a literal without brackets. */
export function addressAllowed(address: string, exempt: Networks): boolean {
  switch (isIP(address)) {
    case 4: {
      const ip = ipaddr.IPv4.parse(address);
      return !matches(ip, refused4) || matches(ip, exempt.v4);
    }
    case 6: {
      const ip = ipaddr.IPv6.parse(address);
      return (matches(ip, global6) && !matches(ip, refused6)) || matches(ip, exempt.v6);
    }
    default:
      return false;
  }
}

/** Whether an address, a literal without brackets, is in one of the networks. */
export function inNetworks(address: string, networks: Networks): boolean {
  return isIP(address) === 4
    ? matches(ipaddr.IPv4.parse(address), networks.v4)
    : isIP(address) === 6 && matches(ipaddr.IPv6.parse(address), networks.v6);
}

/**
 * The canonical spelling of an address, without its zone. IPv4 mapped into IPv6 becomes IPv4 (RFC 4291 section 2.5.5.2): both reach
 * a listener on `::`.
 */
export function plainAddress(address: string): string {
  return isIP(address) === 0 ? address : ipaddr.process(address.replace(/%.*$/, '')).toString();
}

function matches<T extends ipaddr.IPv4 | ipaddr.IPv6>(ip: T, list: readonly [T, number][]): boolean {
  return list.some(([network, length]) => ip.match(network, length));
}

function cidrs4(list: readonly string[]): [ipaddr.IPv4, number][] {
  return list.map((text) => ipaddr.IPv4.parseCIDR(text));
}

function cidrs6(list: readonly string[]): [ipaddr.IPv6, number][] {
  return list.map((text) => ipaddr.IPv6.parseCIDR(text));
}
