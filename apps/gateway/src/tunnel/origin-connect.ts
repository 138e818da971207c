import type { Socket } from 'node:net';
import type { Egress } from '@propusk/access/snapshot';
import type { Dial } from '@propusk/dial/dial';
import { DialError, type DialErrorCode } from '@propusk/dial/dial-error';
import { type ActiveRequest, clientLeft } from '../policy/active-requests.ts';
import { ProxyError, type ProxyErrorDetail, type ProxyErrorReason } from '../proxy-error.ts';
import { readBy, release } from './socket-reader.ts';
import { UpstreamTunnel } from './upstream.ts';

/** The errors of a failed dial to the company's proxy, so that the refusal does not blame the site. */
const upstreamErrors: Readonly<Record<DialErrorCode, readonly [ProxyErrorReason, ProxyErrorDetail?]>> = {
  address_refused: ['address_refused', 'upstream_address_refused'],
  resolve_failed: ['upstream_failed', 'upstream_resolve_failed'],
  // GATEWAY_EGRESS limits the address families of connections to sites alone: a proxy may be dialled at any family.
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
 * Connects to the site itself; where the egress is the company's proxy, through a CONNECT tunnel of that proxy. The socket emits
 * 'data' like any stream; after a proxy's answer it is paused.
 * @throws ProxyError; the signal's reason when it was aborted
 */
export async function connectSite(dial: Dial, active: ActiveRequest): Promise<Socket> {
  const socket = await connectNextHop(dial, active);
  const { egress, target, signal } = active;
  if (egress.kind === 'direct') return socket;
  return new Promise((resolve, reject) => {
    const opening = new UpstreamTunnel(socket, egress, target, (outcome) => {
      signal.removeEventListener('abort', onAbort);
      release(socket);
      if (outcome instanceof Error) {
        socket.destroy();
        return reject(outcome);
      }
      if (outcome.length > 0) socket.unshift(outcome);
      resolve(socket);
    });
    const onAbort = () => opening.end(signal.reason ?? clientLeft);
    readBy(socket, opening);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}
