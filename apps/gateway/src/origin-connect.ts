import type { Socket } from 'node:net';
import type { Egress } from '@propusk/access/snapshot';
import type { Dial } from '@propusk/dial/dial';
import { DialError, type DialErrorCode } from '@propusk/dial/dial-error';
import type { ActiveRequest } from './active-requests.ts';
import { ProxyError, type ProxyErrorDetail, type ProxyErrorReason } from './proxy-error.ts';
import { REPLY_MS, readTunnelReply, tunnelRequest, upstreamBroken } from './upstream.ts';

/** The errors of a failed dial to the company's proxy, so that the refusal does not blame the site. */
const upstreamErrors: Readonly<Record<DialErrorCode, readonly [ProxyErrorReason, ProxyErrorDetail?]>> = {
  address_refused: ['address_refused', 'upstream_address_refused'],
  resolve_failed: ['upstream_failed', 'upstream_resolve_failed'],
  // The families concern sites alone: a dial to a proxy takes any.
  no_family: ['upstream_failed', 'upstream_connect_failed'],
  names_busy: ['names_busy'],
  connect_failed: ['upstream_failed', 'upstream_connect_failed'],
  timeout: ['timeout', 'upstream_timeout'],
};

/** The refusal for a failed dial to the next hop of a request. */
export function dialRefusal({ code }: DialError, egress: Egress): ProxyError {
  return egress.kind === 'direct' ? new ProxyError(code) : new ProxyError(...upstreamErrors[code]);
}

/**
 * Connects to the next hop of a request: the site, or the company's proxy.
 * @throws ProxyError; the signal's reason when it was aborted
 */
export async function connectNextHop(
  dial: Dial,
  { egress, target, tenant, signal }: ActiveRequest,
): Promise<Socket> {
  try {
    return await (egress.kind === 'direct'
      ? dial(target.host, target.port, tenant, signal, 'site', egress.family)
      : dial(egress.host, egress.port, tenant, signal, 'upstream'));
  } catch (error) {
    throw error instanceof DialError ? dialRefusal(error, egress) : error;
  }
}

/**
 * Connects to the site itself, through a tunnel of the company's proxy where the egress is one. The socket is a stream; after a
 * proxy's answer it is paused.
 * @throws ProxyError; the signal's reason when it was aborted
 */
export async function connectSite(dial: Dial, active: ActiveRequest): Promise<Socket> {
  const socket = await connectNextHop(dial, active);
  const { egress, target, signal } = active;
  if (egress.kind === 'direct') return socket;
  socket.write(tunnelRequest(egress, target), 'latin1');
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  let came = Buffer.alloc(0);
  const onData = (bytes: Buffer) => {
    came = Buffer.concat([came, bytes]);
    const reply = readTunnelReply(came);
    if (reply === 'more') return;
    if (reply instanceof ProxyError) return reject(reply);
    socket.pause();
    if (came.length > reply.length) socket.unshift(came.subarray(reply.length));
    resolve(socket);
  };
  const onEnd = () => reject(upstreamBroken());
  const onAbort = () => reject(signal.reason);
  const timer = setTimeout(() => reject(new ProxyError('timeout', 'upstream_timeout')), REPLY_MS);
  socket.on('data', onData).once('close', onEnd).once('end', onEnd);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await promise;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    socket.off('data', onData).off('close', onEnd).off('end', onEnd);
  }
}
