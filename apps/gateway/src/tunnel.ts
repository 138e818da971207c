import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from './active-requests.ts';
import { connectSite } from './origin-connect.ts';
import type { PeekableSource } from './peekable-source.ts';
import { sniffProtocol } from './protocol-sniffer.ts';
import { splice, type TransferredBytes } from './splice.ts';

/**
 * CONNECT (RFC 9110 section 9.3.6):
 *
 *   client ── CONNECT ──> gateway ── dial ──────────────> site
 *                                └── dial ──> proxy ── CONNECT ──> site
 *   client <── 200 ────── gateway, which sniffs the first bytes (protocol-sniffer.ts), then splices (splice.ts)
 */

export const TUNNEL_IDLE_MS = 5 * 60_000;
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/**
 * Opens a tunnel and splices it until it closes, or finds HTTP that must be parsed.
 * @param source the client's bytes
 * @param onEstablished called once the client has its 200
 * @returns the bytes transferred, or `http`: then `source` still holds the client's first bytes
 * @throws ProxyError
 */
export async function tunnel(
  dial: Dial,
  active: ActiveRequest,
  client: Duplex,
  source: PeekableSource,
  onEstablished: () => void,
): Promise<TransferredBytes | 'http'> {
  const [remote, remoteSource] = await connectSite(dial, active);
  client.write(ESTABLISHED);
  onEstablished();
  try {
    if ((await sniffProtocol(client, source, remote, remoteSource, active)) === 'http') {
      // The forwarder opens its own connections: this socket cannot be read as a stream.
      remote.destroy();
      return 'http';
    }
  } catch (error) {
    remote.destroy();
    client.destroy();
    throw error;
  }
  return splice(client, source, remote, remoteSource, { signal: active.signal, idleMs: TUNNEL_IDLE_MS });
}
