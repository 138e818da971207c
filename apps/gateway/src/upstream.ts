import type { Socket } from 'node:net';
import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import type { AbortSignalLike } from '@propusk/dial/dial';
import { valueOf } from './headers.ts';
import type { PeekableSource } from './peekable-source.ts';
import { ProxyError } from './proxy-error.ts';

/**
 * The protocol with a company's own proxy. Its credentials go to it alone, and its challenges never reach the client: the
 * client's credentials are for this gateway.
 */

type Upstream = Extract<Egress, { kind: 'upstream' }>;

/** The proxy must answer CONNECT within this time; it resolves and connects meanwhile. */
const REPLY_MS = 10_000;

/** The header with the proxy's credentials (RFC 7617); empty without credentials. */
export function upstreamAuthorization({ username, password }: Upstream): string[] {
  if (username === '' && password === '') return [];
  return ['Proxy-Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
}

/** Whether a response to a plain request means that the proxy rejected our credentials. */
export function refusedCredentials(status: number, rawHeaders: readonly string[]): boolean {
  // tinyproxy rejects credentials with 401, as a site does: passed on, its challenge would make users type passwords. Responses
  // that it forwards have Via.
  const tinyproxy =
    status === 401 &&
    valueOf(rawHeaders, 'via') === undefined &&
    valueOf(rawHeaders, 'server')?.startsWith('tinyproxy/');
  return status === 407 || tinyproxy === true;
}

/** The error for a status with which the proxy refuses. */
export function upstreamRefusal(status: number | undefined): ProxyError {
  if (status === 407 || status === 401) return new ProxyError('upstream_failed', 'upstream_credentials');
  if (status === 504) return new ProxyError('timeout', 'upstream_site_timeout');
  return new ProxyError('upstream_failed', 'upstream_status', status);
}

/** The largest head of an answer to CONNECT, in bytes. */
const HEAD_MOST = 32_768;
/** The most interim responses (RFC 9110 section 15.2). */
const EARLY_MOST = 16;
const BLANK_LINE = Buffer.from('\r\n\r\n');

/** The error for a proxy's answer that is not valid HTTP. */
export const unreadableUpstream = () => new ProxyError('upstream_failed', 'upstream_invalid_http');

/**
 * Sends CONNECT to the proxy (RFC 9110 section 9.3.6). Only the status and the end of the head count: Node's client would take
 * a fifth of a tunnel's time to read the same.
 * @param source the proxy's bytes; after the head it holds the tunnel's
 * @throws ProxyError; the signal's reason when it was aborted. The connection is destroyed then
 */
export function requestTunnel(
  socket: Socket,
  source: PeekableSource,
  upstream: Upstream,
  target: Target,
  signal: AbortSignalLike,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let settled = false;
  let early = 0;
  const late = () => settle(new ProxyError('timeout', 'upstream_timeout'));
  const onEnd = () => settle(new ProxyError('upstream_failed', 'upstream_broken'));
  const onAbort = () => settle(signal.reason);

  /** Settles the promise. @returns false, so that the source delivers no more bytes */
  function settle(failure?: unknown): false {
    if (settled) return false;
    settled = true;
    clearTimeout(timer);
    socket.off('close', onEnd).off('end', onEnd);
    signal.removeEventListener('abort', onAbort);
    if (failure === undefined) resolve();
    else {
      socket.destroy();
      reject(failure);
    }
    return false;
  }
  function onAnswer(bytes: Buffer): boolean {
    for (let rest = bytes; !settled; early++) {
      const status = readStatus(rest);
      if (status === 'more') return true;
      if (status === 'broken' || status === 101 || early > EARLY_MOST) return settle(unreadableUpstream());
      if (status >= 300) return settle(upstreamRefusal(status));
      const end = rest.indexOf(BLANK_LINE) + BLANK_LINE.length;
      source.skip(end);
      rest = rest.subarray(end);
      if (status < 200) continue;
      settle();
      // The source keeps the bytes behind the head for the next reader.
      return rest.length === 0;
    }
    return false;
  }

  const timer = setTimeout(late, REPLY_MS);
  signal.addEventListener('abort', onAbort);
  socket.once('close', onEnd).once('end', onEnd);
  if (signal.aborted) onAbort();
  else if (socket.destroyed) onEnd();
  else {
    const authority = `${target.host}:${target.port}`;
    const [name, value] = upstreamAuthorization(upstream);
    const credentials = name === undefined ? '' : `${name}: ${value}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`, 'latin1');
    source.peek(onAnswer);
  }
  return promise;
}

/** The status of an answer, once its head is complete. */
function readStatus(bytes: Buffer): number | 'more' | 'broken' {
  const start = bytes.toString('latin1', 0, 13);
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)[ \r]$/.exec(start)?.[1];
  if (status === undefined)
    return 'HTTP/1.'.startsWith(start.slice(0, 7)) && start.length < 13 ? 'more' : 'broken';
  if (bytes.includes(BLANK_LINE)) return Number(status);
  return bytes.length > HEAD_MOST ? 'broken' : 'more';
}
