/** The hop that failed: the proxy (a company's own, or our gateway), or the site behind it. */
type Where = 'proxy' | 'site';

export type ConnectErrorReason =
  | 'resolve_failed'
  | 'address_refused'
  /** Our gateway leaves by no address family that the site has. */
  | 'no_family'
  | 'connect_failed'
  /** The peer itself refused the connection (ECONNREFUSED). */
  | 'connection_refused'
  /** This machine has no route to such an address: nothing was sent. */
  | 'no_route'
  | 'timeout'
  /** The connection ended before or within the response. */
  | 'broken_off'
  | 'tls_failed'
  /** The proxy rejected the user name or the password. */
  | 'credentials'
  /** The proxy refused the tunnel. */
  | 'refused';

/** A request that got no response. */
export class ConnectError extends Error {
  readonly where: Where;
  readonly reason: ConnectErrorReason;
  /** The status with which a proxy refused. */
  readonly status: number | undefined;

  constructor(where: Where, reason: ConnectErrorReason, status?: number) {
    super(`${where}: ${reason}`);
    this.where = where;
    this.reason = reason;
    this.status = status;
  }
}

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
