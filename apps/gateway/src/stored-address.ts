import type { StoredAddresses } from '@propusk/contract/record-settings';
import ipaddr from 'ipaddr.js';

/** The bytes that `network` keeps. A 6to4 prefix is 2 bytes and an IPv4 address (RFC 3056 section 2). */
const KEPT = { ipv4: 3, ipv6: 6, sixToFour: 5 };

/**
 * A client's address as its company lets it be stored: the network of `network` is a /24 of IPv4, also of an IPv4 address mapped into
 * IPv6 or 6to4, or a /48 of other IPv6. A second call changes nothing. Returns an empty text for `none`, and for a text that is no
 * address.
 */
export function storedAddress(address: string, allowed: StoredAddresses): string {
  if (allowed === 'full') return address;
  if (allowed === 'none' || !ipaddr.isValid(address)) return '';
  const ip = ipaddr.process(address);
  const kept = ip.range() === '6to4' ? KEPT.sixToFour : KEPT[ip.kind()];
  return ipaddr.fromByteArray(ip.toByteArray().fill(0, kept)).toString();
}
