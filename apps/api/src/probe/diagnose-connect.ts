import { once } from 'node:events';
import { connect } from 'node:net';
import type { ConnectErrorReason } from './connect-error.ts';

/** What the system says when a connection does not even leave this machine. */
const noWay = new Set([
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EACCES',
  'EPERM',
  'EINVAL',
]);

/**
 * Why a connection to an address did not come up: a site that refuses and a machine without a way out look the same to
 * whoever dials, and are opposites to a probe. So the system is asked once more.
 * @param address a literal that was judged and dialled just now
 * @throws the signal's reason when it was aborted
 */
export async function diagnoseConnect(
  address: string,
  port: number,
  signal: AbortSignal,
): Promise<ConnectErrorReason> {
  signal.throwIfAborted();
  const socket = connect({ host: address, port });
  socket.on('error', () => {});
  try {
    await once(socket, 'connect', { signal });
    return 'connect_failed';
  } catch (error) {
    signal.throwIfAborted();
    return reasonOf(error instanceof Error && 'code' in error ? String(error.code) : '');
  } finally {
    socket.destroy();
  }
}

/** EHOSTUNREACH is either: a router of ours, or a firewall of theirs that says so (`icmp-host-prohibited`). */
export function reasonOf(code: string): ConnectErrorReason {
  if (code === 'ECONNREFUSED') return 'connection_refused';
  return noWay.has(code) ? 'no_route' : 'connect_failed';
}
