import { issue } from '@propusk/contract/issues';
import { type Proxy, proxyAddress } from '@propusk/contract/proxies';
import * as z from 'zod/mini';

/**
 * A proxy as form values. Replies never contain the password. While its field is undefined, the server keeps the
 * stored password.
 */
export function proxyValues({ host, port, username }: Proxy) {
  return { host, port, username, password: undefined };
}

interface Address {
  host?: string | undefined;
  port?: string | number | undefined;
}

/** Whether the form's host or port differs from the stored one: then the api requires the proxy's password again. */
export function isMoved(stored: Proxy, { host = stored.host, port = stored.port }: Address): boolean {
  return proxyAddress(host, port) !== proxyAddress(stored.host, stored.port);
}

/** A zod check: a new host or port needs the password. Without it the api replies 409 password_needed. */
export function passwordOfAddress(stored: Proxy) {
  return z.refine<Address & { password?: string | undefined }>(
    (body) => stored.direct || body.password !== undefined || !isMoved(stored, body),
    { path: ['password'], ...issue('proxy_address_changes') },
  );
}
