import type { Proxy } from '@propusk/contract/proxies';

/** A proxy as its edit forms hold it. No reply tells a password: an untouched one stays undefined, and stays as it is. */
export function proxyValues({ host, port, username }: Proxy) {
  // The contract's port is a number once it is read; only so does an untouched one compare as unchanged.
  return { host, port: Number(port), username, password: undefined };
}
