import { parseAuthority, type Target } from '@propusk/access/host';
import { ProxyError } from '../proxy-error.ts';

/**
 * Parses the two forms of a proxy's request target (RFC 9112 section 3.2). The Host header is never read: the request target
 * takes precedence (RFC 9112 section 3.2.2).
 */

export interface PlainTarget extends Target {
  /** The value of the Host header to send: with the port only when it is not 80. */
  readonly authority: string;
  /** Path and query as sent: a URL parser could change their meaning for the site. */
  readonly path: string;
  /** The target has neither path nor query. */
  readonly isWhole: boolean;
}

/** Whether a request target is in absolute form. `GET /path` is addressed to a site, not to a proxy. */
export function isAbsoluteForm(requestTarget: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(requestTarget);
}

/** Reads `http://host[:port]/path?query`, and `ws:` for WebSocket (RFC 6455 section 3). @throws ProxyError bad_request, bad_host */
export function readAbsoluteForm(requestTarget: string): PlainTarget {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)$/i.exec(requestTarget);
  const [, scheme, authority, rest] = match ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined)
    throw new ProxyError('bad_request');
  if (!/^(?:http|ws)$/i.test(scheme)) {
    throw new ProxyError('bad_request', 'connect_only');
  }
  // Credentials in an http URL are an error and disguise the host (RFC 9110 section 4.2.4).
  if (authority.includes('@')) throw new ProxyError('bad_request', 'credentials_in_url');
  const target = parseAuthority(/:\d*$/.test(authority) ? authority.replace(/:$/, ':80') : `${authority}:80`);
  if (target === null) throw new ProxyError('bad_host');
  const { host, port } = target;
  return {
    host,
    port,
    authority: port === 80 ? host : `${host}:${port}`,
    path: rest.startsWith('/') ? rest : `/${rest}`,
    isWhole: rest === '',
  };
}

/** Reads CONNECT's `host:port`. @throws ProxyError bad_host */
export function readAuthorityForm(requestTarget: string): Target {
  const target = parseAuthority(requestTarget);
  if (target === null) throw new ProxyError('bad_host');
  return target;
}
