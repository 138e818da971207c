/** What stood in the way: the proxy (a company's own, or our gateway), or the site behind it. */
type Where = 'proxy' | 'site';

export type ConnectErrorReason =
  | 'resolve_failed'
  | 'address_refused'
  | 'connect_failed'
  /** The other side itself refused the connection. */
  | 'connection_refused'
  /** Nothing was sent: this machine has no way to such an address. */
  | 'no_route'
  | 'timeout'
  /** The connection ended before an answer, or in the middle of one. */
  | 'broken_off'
  | 'tls_failed'
  /** The proxy did not take the name and the password. */
  | 'credentials'
  /** The proxy answered that it does not carry this. */
  | 'refused';

/** A place that no request came to. */
export class ConnectError extends Error {
  readonly where: Where;
  readonly reason: ConnectErrorReason;
  /** The status that a proxy refused with. */
  readonly status: number | undefined;

  constructor(where: Where, reason: ConnectErrorReason, status?: number) {
    super(`${where}: ${reason}`);
    this.where = where;
    this.reason = reason;
    this.status = status;
  }
}
