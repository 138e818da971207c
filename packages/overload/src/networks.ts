import { BlockList, isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The subscriber of an address, the key of rate and connection limits: an IPv4 address, also when mapped into IPv6 (RFC 4291
 * section 2.5.5.2), or the /64 of an IPv6 address, which one subscriber owns (RFC 6177).
 * @returns `unknown` for an invalid address, as a trusted proxy may send
 */
export function subscriberOf(address: string): string {
  // Every accepted connection asks: most addresses need no parser.
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  if (isIPv4(plain)) return `${plain}/32`;
  return prefixOf(address, 4, 8);
}

/** The network of an address, the key of fair queues: the /24 of an IPv4 address, the /56 of an IPv6 one. */
export function networkOf(address: string): string {
  return prefixOf(address, 3, 7);
}

/** Makes a test for the addresses of a list of addresses and networks, as `addressList` reads it; an invalid address fails it. */
export function addressesOf(list: readonly string[]): (address: string) => boolean {
  const found = new BlockList();
  for (const entry of list) {
    const [address = '', prefix] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) found.addAddress(address, family);
    else found.addSubnet(address, Number(prefix), family);
  }
  return (address) => found.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function prefixOf(address: string, bytes4: number, bytes6: number): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const ip = ipaddr.process(address);
  const bytes = ip.kind() === 'ipv4' ? bytes4 : bytes6;
  return `${ip.toByteArray().slice(0, bytes).join('.')}/${bytes * 8}`;
}
