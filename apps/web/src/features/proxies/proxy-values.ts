import type { Proxy } from '@propusk/contract/proxies';

/**
 * A proxy as form values. No reply contains a password; an untouched field stays undefined, and the stored password
 * stays.
 */
export function proxyValues({ host, port, username }: Proxy) {
  // Text, as the field holds it: a port that is typed again is unchanged.
  return { host, port, username, password: undefined };
}
