/** The hop that failed. `proxy`: our gateway or a company's own proxy. `site`: the site behind the proxy. */
type Where = 'proxy' | 'site';

export type ConnectErrorReason =
  | 'resolve_failed'
  | 'address_refused'
  /** The site has only addresses of a family (IPv4 or IPv6) by which our gateway has no egress. */
  | 'no_family'
  | 'connect_failed'
  /** The peer itself refused the connection (ECONNREFUSED). */
  | 'connection_refused'
  /** This machine has no route to the address, and sent nothing. */
  | 'no_route'
  | 'timeout'
  /** The connection ended before the response was complete. */
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
  /** The HTTP status with which a proxy refused the tunnel. */
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
 * Distinguishes a refusal by the peer from a missing route of this machine. A dialer reports both as a failed connection, but
 * they have opposite meanings for a probe. EHOSTUNREACH has no clear meaning, because our router or the site's firewall
 * (`icmp-host-prohibited`) can cause this error.
 * @param errno the system's error code for one address
 */
export function diagnoseConnect(errno: string | undefined): ConnectErrorReason {
  if (errno === 'ECONNREFUSED') return 'connection_refused';
  return errno !== undefined && localErrors.has(errno) ? 'no_route' : 'connect_failed';
}
