import type { ServerResponse } from 'node:http';
import type { ActiveRequest } from './active-requests.ts';
import { nameOf } from './authenticate.ts';
import { endToEnd } from './headers.ts';
import { ProxyError } from './proxy-error.ts';
import { refusedCredentials, unreadableUpstream, upstreamRefusal } from './upstream.ts';

/** What both clients that carry requests onward have in common: where they connect, and how an answer goes back. */

/** Silence onward, or of a client that takes nothing, that ends a request. */
export const IDLE_MS = 5 * 60_000;

/** What a site's or proxy's head may take. */
export const HEAD_MOST = 65_536;

/** A request as it goes onward. */
export interface OriginRequest {
  readonly method: string;
  readonly path: string;
  /** Raw, as in headers.ts. */
  readonly headers: string[];
}

/** The head of an answer from there. */
export interface OriginResponse {
  readonly status: number;
  readonly phrase: string;
  readonly rawHeaders: readonly string[];
}

/** Connections onward of one client connection are interchangeable when they have the same name. */
export function originKey({ egress, target, caller }: ActiveRequest): string {
  const where =
    egress.kind === 'direct' ? `${target.host}:${target.port}` : `via ${egress.host}:${egress.port}`;
  return `${nameOf(caller)} ${where}`;
}

/**
 * Begins the client's answer with the head that came.
 * @param via this gateway's name in Via
 * @returns why it must not go back, and nothing was sent
 */
export function answer(
  reply: OriginResponse,
  res: ServerResponse,
  active: ActiveRequest,
  via: string,
): ProxyError | null {
  const unwanted = challengeOf(reply, active);
  if (unwanted !== null) return unwanted;
  try {
    res.writeHead(reply.status, reply.phrase, [...endToEnd(reply.rawHeaders), 'Via', `1.1 ${via}`]);
    return null;
  } catch {
    // Parsers let in status lines that Node's writer refuses: `000`, control characters in the phrase. Kept by Node, the
    // phrase would spoil the refusal too.
    res.statusMessage = '';
    return unreadable(active);
  }
}

/**
 * A response that asks the client for credentials in a proxy's place. Only this gateway may: the client's answer would
 * be its credentials for us.
 */
function challengeOf(reply: OriginResponse, { egress }: ActiveRequest): ProxyError | null {
  if (egress.kind === 'upstream')
    return refusedCredentials(reply.status, reply.rawHeaders) ? upstreamRefusal(407) : null;
  if (reply.status !== 407) return null;
  return new ProxyError('connect_failed', 'site_proxy_challenge');
}

/** What came is not HTTP, or breaks its rules. */
export function unreadable({ egress }: ActiveRequest): ProxyError {
  return egress.kind === 'direct'
    ? new ProxyError('connect_failed', 'site_invalid_http')
    : unreadableUpstream();
}

/** Why a request came to nothing, when its connection failed. */
export function refusalOf(error: Error, { egress, signal }: ActiveRequest): Error {
  if (signal.reason !== undefined) return signal.reason;
  if (error instanceof ProxyError) return error;
  if (egress.kind === 'direct') return new ProxyError('connect_failed');
  return new ProxyError('upstream_failed', 'upstream_broken');
}
