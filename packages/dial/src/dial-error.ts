/** Why no connection was opened. */
export type DialErrorCode =
  /** The name resolves to an address that `addressAllowed` refuses, or to the dialer's own listener. */
  | 'address_refused'
  | 'resolve_failed'
  /** The site has addresses, none of a family that the gateway leaves by. */
  | 'no_family'
  /** Too many names of the tenant wait for DNS. */
  | 'names_busy'
  | 'connect_failed'
  | 'timeout';

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

/** The system's code of an error, such as `ECONNREFUSED`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
