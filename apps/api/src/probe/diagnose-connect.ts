import type { ConnectErrorReason } from './connect-error.ts';

/** Errors of a connection attempt that never left this machine. */
const localErrors = new Set([
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
  'EINVAL',
]);

/**
 * Tells a peer that refuses from a machine without a route: opposite results of a probe that a dialer reports alike.
 * EHOSTUNREACH proves neither: our router sends it, and so does the site's firewall (`icmp-host-prohibited`).
 * @param errno the system's code of a failed attempt at one address
 */
export function diagnoseConnect(errno: string | undefined): ConnectErrorReason {
  if (errno === 'ECONNREFUSED') return 'connection_refused';
  return errno !== undefined && localErrors.has(errno) ? 'no_route' : 'connect_failed';
}
