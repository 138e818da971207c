import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { ActiveRequest } from '../policy/active-requests.ts';
import { nameOf } from '../policy/authenticate.ts';
import { ProxyError } from '../proxy-error.ts';
import { unreadableUpstream, upstreamRefusal } from '../tunnel/upstream.ts';
import { endToEnd, isCoded, valueOf, without } from './headers.ts';

/** The parts that the undici client and the node:http client share. */

/** The idle timeout of a request, in milliseconds: the origin sends nothing, or the client reads nothing. */
export const IDLE_MS = 10 * 60_000;

/** The largest response head of a site or proxy, in bytes. */
export const HEAD_MOST = 65_536;

/** The most interim responses to one request. */
export const EARLY_MOST = 16;

/** A request as the origin receives it. */
export interface OriginRequest {
  readonly method: string;
  readonly path: string;
  /** Raw: `[name, value, name, value]`, as in headers.ts. */
  readonly headers: string[];
}

/** The head of an origin's response. */
export interface OriginResponse {
  readonly status: number;
  readonly phrase: string;
  readonly rawHeaders: readonly string[];
}

/** Requests of one client connection whose keys are equal may share an origin connection. */
export function originKey({ egress, target, caller }: ActiveRequest): string {
  const where =
    egress.kind === 'direct' ? `${target.host}:${target.port}` : `via ${egress.host}:${egress.port}`;
  return `${nameOf(caller)} ${where}`;
}

/**
 * Sends the head of the origin's response to the client.
 * @param via this gateway's name in Via
 * @returns the error when the head must not be passed on; nothing is sent then
 */
export function answer(
  reply: OriginResponse,
  res: ServerResponse,
  active: ActiveRequest,
  via: string,
): ProxyError | null {
  const unwanted = challengeOf(reply, active);
  if (unwanted !== null) return unwanted;
  // The client would receive an encoded body without its Transfer-Encoding field.
  if (isCoded(reply.rawHeaders)) return unreadable(active);
  // The parsers report a 101 without an Upgrade field as an ordinary response.
  if (reply.status < 200) return unreadable(active);
  try {
    res.writeHead(reply.status, reply.phrase, [...endToEnd(reply.rawHeaders), 'Via', `1.1 ${via}`]);
    return null;
  } catch {
    // Parsers accept status lines that Node's writer rejects: `000`, control characters in the phrase. Node keeps the phrase,
    // which would break our own response too.
    res.statusMessage = '';
    return unreadable(active);
  }
}

/**
 * Detects a proxy challenge from the origin. It must not reach the client, which would answer with its credentials for this
 * gateway.
 */
function challengeOf(reply: OriginResponse, { egress }: ActiveRequest): ProxyError | null {
  if (egress.kind === 'upstream')
    return refusedCredentials(reply.status, reply.rawHeaders) ? upstreamRefusal(407) : null;
  if (reply.status !== 407) return null;
  return new ProxyError('connect_failed', 'site_proxy_challenge');
}

/**
 * Sends an interim response to the client (RFC 9110 section 15.2). HTTP/1.0 has none.
 * @param via this gateway's name in Via
 */
export function answerEarly(
  status: number,
  rawHeaders: readonly string[],
  { httpVersionMinor }: IncomingMessage,
  res: ServerResponse,
  via: string,
): void {
  if (httpVersionMinor === 0 || res.headersSent || res.socket === null) return;
  // RFC 9110 section 8.6: an interim response has no Content-Length.
  const headers = [...without(endToEnd(rawHeaders), 'content-length'), 'Via', `1.1 ${via}`];
  // The origin's reason phrase is not forwarded: HTTP parsers accept control characters in it.
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`;
  res.socket.write(`${text}\r\n`, 'latin1');
}

/** The error for a response that is not valid HTTP. */
export function unreadable({ egress }: Pick<ActiveRequest, 'egress'>): ProxyError {
  return egress.kind === 'direct' ? new ProxyError('bad_response') : unreadableUpstream();
}

/** The error for a request whose origin connection failed. */
export function refusalOf(error: Error, { egress, signal }: ActiveRequest): Error {
  if (signal.reason !== undefined) return signal.reason;
  if (error instanceof ProxyError) return error;
  // Errors of Node's parser.
  if ((error as NodeJS.ErrnoException).code?.startsWith('HPE_')) return unreadable({ egress });
  if (egress.kind === 'direct') return new ProxyError('connect_failed');
  return new ProxyError('upstream_failed', 'upstream_broken');
}

/** Whether a response to a plain request means that the proxy rejected our credentials. */
function refusedCredentials(status: number, rawHeaders: readonly string[]): boolean {
  // tinyproxy rejects credentials with 401, as a site does: passed on, its challenge would make users type passwords. Responses
  // that it forwards have Via.
  const tinyproxy =
    status === 401 &&
    valueOf(rawHeaders, 'via') === undefined &&
    valueOf(rawHeaders, 'server')?.startsWith('tinyproxy/');
  return status === 407 || tinyproxy === true;
}
