import type { OnReadOpts, Socket } from 'node:net';
import type { Dial } from '@propusk/dial/dial';
import { DialError, type DialErrorCode } from '@propusk/dial/dial-error';
import type { ActiveRequest } from './active-requests.ts';
import { type PeekableSource, SocketSource, StreamSource } from './peekable-source.ts';
import { ProxyError, type ProxyErrorDetail, type ProxyErrorReason } from './proxy-error.ts';
import { requestTunnel } from './upstream.ts';

/** The errors of a failed dial to the company's proxy, so that the refusal does not blame the site. */
const upstreamErrors: Readonly<Record<DialErrorCode, readonly [ProxyErrorReason, ProxyErrorDetail?]>> = {
  address_refused: ['address_refused', 'upstream_address_refused'],
  resolve_failed: ['upstream_failed', 'upstream_resolve_failed'],
  names_busy: ['names_busy'],
  connect_failed: ['upstream_failed', 'upstream_connect_failed'],
  timeout: ['timeout', 'upstream_timeout'],
};

/**
 * Connects to the next hop of a request: the site, or the company's proxy.
 * @param onread how the connection is read, when not as a stream
 * @throws ProxyError; the signal's reason when it was aborted
 */
export async function connectNextHop(
  dial: Dial,
  { egress, target, tenant, signal }: ActiveRequest,
  onread?: OnReadOpts,
): Promise<Socket> {
  try {
    return await (egress.kind === 'direct'
      ? dial(target.host, target.port, tenant, signal, 'site', onread)
      : dial(egress.host, egress.port, tenant, signal, 'upstream', onread));
  } catch (error) {
    if (!(error instanceof DialError)) throw error;
    if (egress.kind === 'direct') throw new ProxyError(error.code);
    throw new ProxyError(...upstreamErrors[error.code]);
  }
}

/**
 * Connects to the site itself, through a tunnel of the company's proxy where the egress is one.
 * @returns the socket, and the source of its bytes
 * @throws ProxyError; the signal's reason when it was aborted
 */
export async function connectSite(dial: Dial, active: ActiveRequest): Promise<[Socket, SocketSource]> {
  const source = new SocketSource();
  const socket = await connectNextHop(dial, active, source.onread);
  await throughUpstream(socket, source, active);
  return [socket, source];
}

/** connectSite() for a caller that reads the socket as a stream. An upstream's socket is paused: the caller resumes it. */
export async function connectSiteAsStream(dial: Dial, active: ActiveRequest): Promise<Socket> {
  const socket = await connectNextHop(dial, active);
  if (active.egress.kind === 'direct') return socket;
  const source = new StreamSource(socket);
  await throughUpstream(socket, source, active);
  source.release();
  return socket;
}

async function throughUpstream(
  socket: Socket,
  source: PeekableSource,
  { egress, target, signal }: ActiveRequest,
): Promise<void> {
  if (egress.kind === 'upstream') await requestTunnel(socket, source, egress, target, signal);
}
