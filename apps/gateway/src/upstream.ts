import type { Socket } from 'node:net';
import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import type { AbortSignalLike } from '@propusk/dial/dial';
import { valueOf } from './headers.ts';
import type { PeekableSource } from './peekable-source.ts';
import { ProxyError } from './proxy-error.ts';

/**
 * A company's own proxy as the way out. Its credentials go to it and nowhere else, and nothing of its challenges comes
 * back to the client: the client's credentials are for us, these are between us and the proxy.
 */

type Upstream = Extract<Egress, { kind: 'upstream' }>;

/** How long the proxy may take to answer CONNECT: it resolves and connects in that time. */
const REPLY_MS = 10_000;

/** The proxy's credentials (RFC 7617), or none. */
export function upstreamAuthorization({ username, password }: Upstream): string[] {
  if (username === '' && password === '') return [];
  return ['Proxy-Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
}

/** Whether a response to a plain request is the proxy's own word that it did not take our credentials. */
export function refusedCredentials(status: number, rawHeaders: readonly string[]): boolean {
  // tinyproxy answers wrong ones with a site's 401, and its challenge would have people type passwords into it. What it
  // really carries has Via.
  const tinyproxy =
    status === 401 &&
    valueOf(rawHeaders, 'via') === undefined &&
    valueOf(rawHeaders, 'server')?.startsWith('tinyproxy/');
  return status === 407 || tinyproxy === true;
}

/** What the proxy's own refusal means to a person. */
export function upstreamRefusal(status: number | undefined): ProxyError {
  if (status === 407 || status === 401) return new ProxyError('upstream_failed', 'upstream_credentials');
  if (status === 504) return new ProxyError('timeout', 'upstream_site_timeout');
  return new ProxyError('upstream_failed', 'upstream_status', status);
}

/** What the head of an answer may take, as in `server.ts`. */
const HEAD_MOST = 32_768;
/** Answers before the answer (RFC 9110 section 15.2). */
const EARLY_MOST = 16;
const BLANK_LINE = Buffer.from('\r\n\r\n');

/** A broken rule of HTTP on the proxy's side. */
export const unreadableUpstream = () => new ProxyError('upstream_failed', 'upstream_invalid_http');

/**
 * Asks the proxy at the other end of a connection for a tunnel (RFC 9110 section 9.3.6). Of its answer only the status counts, and
 * where its head ends: Node's client would take a fifth of a tunnel's time to tell the same.
 * @param said where the proxy's bytes come in: behind it come those of the tunnel
 * @throws ProxyError and the connection is destroyed; the signal's reason when it was aborted
 */
export function requestTunnel(
  socket: Socket,
  said: PeekableSource,
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

  /** @returns that no more is wanted */
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
      said.skip(end);
      rest = rest.subarray(end);
      if (status < 200) continue;
      settle();
      // What came behind the head waits for its reader.
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
    said.peek(onAnswer);
  }
  return promise;
}

/** The status of an answer whose head is whole. */
function readStatus(said: Buffer): number | 'more' | 'broken' {
  const start = said.toString('latin1', 0, 13);
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)[ \r]$/.exec(start)?.[1];
  if (status === undefined)
    return 'HTTP/1.'.startsWith(start.slice(0, 7)) && start.length < 13 ? 'more' : 'broken';
  if (said.includes(BLANK_LINE)) return Number(status);
  return said.length > HEAD_MOST ? 'broken' : 'more';
}
