import type { StoredAddresses } from '@propusk/contract/record-settings';
import ipaddr from 'ipaddr.js';

/** How many leading bytes `network` keeps. A 6to4 address begins with 2 bytes and an IPv4 address (RFC 3056 section 2). */
const KEPT = { ipv4: 3, ipv6: 6, sixToFour: 5 };

/**
 * Shortens a client's address as the company's setting requires. `network` keeps the /24 of an IPv4 address, also of one in an
 * IPv4-mapped IPv6 or 6to4 address, and the /48 of any other IPv6 address. A second call changes nothing.
 * @returns an empty text for `none`, and with `network` for a text that is not an address
 */
export function storedAddress(address: string, allowed: StoredAddresses): string {
  if (allowed === 'full') return address;
  if (allowed === 'none' || !ipaddr.isValid(address)) return '';
  const ip = ipaddr.process(address);
  const kept = ip.range() === '6to4' ? KEPT.sixToFour : KEPT[ip.kind()];
  return ipaddr.fromByteArray(ip.toByteArray().fill(0, kept)).toString();
}
