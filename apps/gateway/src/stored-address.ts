import type { StoredAddresses } from '@propusk/contract/record-settings';
import ipaddr from 'ipaddr.js';

/** The bytes that `network` keeps. */
const KEPT = { ipv4: 3, ipv6: 6 };

/**
 * A client's address as its company lets it be stored: the network of `network` is a /24 of IPv4, also of an IPv4 address mapped into
 * IPv6, or a /48 of IPv6. A second call changes nothing. Returns an empty text
 * for `none`, and for a text that is no address.
 */
export function storedAddress(address: string, allowed: StoredAddresses): string {
  if (allowed === 'full') return address;
  if (allowed === 'none' || !ipaddr.isValid(address)) return '';
  const ip = ipaddr.process(address);
  return ipaddr.fromByteArray(ip.toByteArray().fill(0, KEPT[ip.kind()])).toString();
}
