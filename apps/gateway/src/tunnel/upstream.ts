import type { Duplex } from 'node:stream';
import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import { ProxyError } from '../proxy-error.ts';
import type { SocketReader } from './socket-reader.ts';

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
const BARE_LF = /(?:^|[^\r])\n/;

/** The error for a proxy's answer that is not valid HTTP. */
export const unreadableUpstream = () => new ProxyError('bad_response', 'upstream_invalid_http');

/** Opens a tunnel through the proxy (RFC 9110 section 9.3.6), once a socket is connected to it. */
export class UpstreamTunnel implements SocketReader {
  readonly #done: (outcome: Buffer | Error) => void;
  readonly #timer = setTimeout(() => this.end(new ProxyError('timeout', 'upstream_timeout')), REPLY_MS);
  #came = Buffer.alloc(0);

  /** @param done gets the first bytes of the tunnel, or the error; it ignores further calls */
  constructor(socket: Duplex, upstream: Upstream, target: Target, done: (outcome: Buffer | Error) => void) {
    this.#done = done;
    socket.write(tunnelRequest(upstream, target), 'latin1');
  }

  received(bytes: Buffer): void {
    this.#came = Buffer.concat([this.#came, bytes]);
    const reply = readTunnelReply(this.#came);
    if (reply !== 'more') this.end(reply instanceof ProxyError ? reply : this.#came.subarray(reply.length));
  }

  ended(): void {
    this.end(new ProxyError('upstream_failed', 'upstream_broken'));
  }

  closed(): void {
    this.ended();
  }

  end(outcome: Buffer | Error): void {
    clearTimeout(this.#timer);
    this.#done(outcome);
  }
}

function tunnelRequest(upstream: Upstream, { host, port }: Target): string {
  const authority = `${host}:${port}`;
  const [name, value] = upstreamAuthorization(upstream);
  const credentials = name === undefined ? '' : `${name}: ${value}\r\n`;
  return `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`;
}

/**
 * Reads the proxy's answer to CONNECT. Only the status and the end of the head count: Node's client would take a fifth of a
 * tunnel's time to read the same.
 * @param bytes all that the proxy has sent
 * @returns the length of the answer, behind which the tunnel begins; `more` when it is incomplete; the refusal
 */
function readTunnelReply(bytes: Buffer): { length: number } | 'more' | ProxyError {
  let at = 0;
  for (let early = 0; early <= EARLY_MOST; early++) {
    const status = readStatus(bytes.subarray(at));
    if (status === 'more') return 'more';
    if (status === 'broken' || status === 101) return unreadableUpstream();
    if (status >= 300) return upstreamRefusal(status);
    at = bytes.indexOf(BLANK_LINE, at) + BLANK_LINE.length;
    if (status >= 200) return { length: at };
  }
  return unreadableUpstream();
}

/** The status of an answer, once its head is complete. */
function readStatus(bytes: Buffer): number | 'more' | 'broken' {
  const start = bytes.toString('latin1', 0, 13);
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)[ \r]$/.exec(start)?.[1];
  if (status === undefined)
    return 'HTTP/1.'.startsWith(start.slice(0, 7)) && start.length < 13 ? 'more' : 'broken';
  const end = bytes.indexOf(BLANK_LINE);
  // A bare LF does not end a line (RFC 9112 section 2.2). Without this check, the gateway would wait for more bytes.
  if (BARE_LF.test(bytes.toString('latin1', 0, end === -1 ? bytes.length : end))) return 'broken';
  if (end !== -1) return Number(status);
  return bytes.length > HEAD_MOST ? 'broken' : 'more';
}
