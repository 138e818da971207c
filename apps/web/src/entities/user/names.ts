import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';

/** A person's name, or 'No name' (spec section 2). */
export function userName(user: { name: string; surname: string }): string {
  return `${user.name} ${user.surname}`.trim() || t.common.noName;
}

/** A user's label in a select. It includes the email address, because two users may have the same name. */
export function userLabel(user: { name: string; surname: string; email: string }): string {
  const name = `${user.name} ${user.surname}`.trim();
  return name ? `${name} · ${user.email}` : user.email;
}

/** A proxy's host, or a display name for the platform's own gateway, which is listed as a proxy. */
export function proxyName(proxy: { host: string; direct: boolean }): string {
  return proxy.direct ? t.common.thisGateway : unicodeHost(proxy.host);
}
