import { parseAuthority, type Target } from '@propusk/access/host';
import { ProxyError } from './proxy-error.ts';

/**
 * What a request asks for, in both forms that a proxy gets (RFC 9112 section 3.2). The host comes from the request
 * target alone: a Host header that says otherwise is never read (RFC 9112 section 3.2.2).
 */

export interface PlainTarget extends Target {
  /** As the Host header names it: the port only when it is not 80. */
  readonly authority: string;
  /** Path and query as they were sent: to the site they may mean more than a URL parser would keep. */
  readonly path: string;
}

/** Whether a request target is one for a proxy at all: `GET /path` is what a site gets, not a proxy. */
export function isAbsoluteForm(requestTarget: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(requestTarget);
}

/** Reads `http://host[:port]/path?query`. @throws ProxyError bad_request, bad_host */
export function readAbsoluteForm(requestTarget: string): PlainTarget {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)$/i.exec(requestTarget);
  const [, scheme, authority, rest] = match ?? [];
  if (scheme === undefined || authority === undefined || rest === undefined)
    throw new ProxyError('bad_request');
  if (scheme.toLowerCase() !== 'http') {
    throw new ProxyError('bad_request', 'connect_only');
  }
  // RFC 9110 section 4.2.4: credentials in an http URL are an error; they only serve to disguise the host.
  if (authority.includes('@')) throw new ProxyError('bad_request', 'credentials_in_url');
  const target = parseAuthority(/:\d*$/.test(authority) ? authority.replace(/:$/, ':80') : `${authority}:80`);
  if (target === null) throw new ProxyError('bad_host');
  const { host, port } = target;
  return {
    host,
    port,
    authority: port === 80 ? host : `${host}:${port}`,
    path: rest.startsWith('/') ? rest : `/${rest}`,
  };
}

/** Reads CONNECT's `host:port`. @throws ProxyError bad_host */
export function readAuthorityForm(requestTarget: string): Target {
  const target = parseAuthority(requestTarget);
  if (target === null) throw new ProxyError('bad_host');
  return target;
}
