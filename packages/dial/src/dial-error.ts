/** Why no connection was opened. */
export type DialErrorCode =
  /** The name resolves to an address that `addressAllowed` refuses, or to the dialer's own listener. */
  'address_refused' | 'resolve_failed' | 'connect_failed' | 'timeout';

/** A failed dial. `errno` is the system's code of the last attempt (`ECONNREFUSED`), where the system reported one. */
export class DialError extends Error {
  readonly code: DialErrorCode;
  readonly errno: string | undefined;

  constructor(code: DialErrorCode, errno?: string) {
    super(errno === undefined ? code : `${code}: ${errno}`);
    this.code = code;
    this.errno = errno;
  }
}
