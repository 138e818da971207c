import { issue } from '@propusk/contract/issues';
import { type Proxy, proxyAddress } from '@propusk/contract/proxies';
import * as z from 'zod/mini';

/**
 * A proxy as form values. No reply contains a password; an untouched field stays undefined, and the stored password
 * stays.
 */
export function proxyValues({ host, port, username }: Proxy) {
  // Text, as the field holds it: a port that is typed again is unchanged.
  return { host, port, username, password: undefined };
}

interface Address {
  host?: string | undefined;
  port?: string | number | undefined;
}

/** Whether the form's host or port differs from the stored one, whose password therefore no longer applies. */
export function isMoved(stored: Proxy, { host = stored.host, port = stored.port }: Address): boolean {
  return proxyAddress(host, port) !== proxyAddress(stored.host, stored.port);
}

/** A check of a form's schema: another address needs the password. The api answers 409 password_needed without it. */
export function passwordOfAddress(stored: Proxy) {
  return z.refine<Address & { password?: string | undefined }>(
    (body) => stored.direct || body.password !== undefined || !isMoved(stored, body),
    { path: ['password'], ...issue('proxy_address_changes') },
  );
}
