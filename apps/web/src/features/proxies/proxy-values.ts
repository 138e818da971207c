import type { Proxy } from '@propusk/contract/proxies';

/**
 * A proxy as form values. No reply contains a password; an untouched field stays undefined, and the stored password
 * stays.
 */
export function proxyValues({ host, port, username }: Proxy) {
  // The contract parses the port into a number; both sides must be numbers to compare as unchanged.
  return { host, port: Number(port), username, password: undefined };
}
