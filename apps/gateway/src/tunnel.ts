import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from './active-requests.ts';
import { connectSite } from './origin-connect.ts';
import type { PeekableSource } from './peekable-source.ts';
import { sniffProtocol } from './protocol-sniffer.ts';
import { type Carried, join } from './splice.ts';

/**
 * CONNECT (RFC 9110 section 9.3.6):
 *
 *   client ── CONNECT ──> gateway ── dial ──────────────> site
 *                                └── dial ──> proxy ── CONNECT ──> site
 *   client <── 200 ────── gateway, then its first bytes are looked at (protocol-sniffer.ts), and from then on bytes (splice.ts)
 */

export const TUNNEL_IDLE_MS = 5 * 60_000;
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/**
 * Opens the tunnel and carries it to its end, or until it turns out to carry HTTP that must be parsed.
 * @param asked where the client's bytes come in
 * @returns what was carried, or that there is HTTP in it: then it is the client's intake that still has it
 * @throws ProxyError `opened` tells whether the client has had its 200
 */
export async function tunnel(
  dial: Dial,
  active: ActiveRequest,
  client: Duplex,
  asked: PeekableSource,
  opened: () => void,
): Promise<Carried | 'http'> {
  const [remote, said] = await connectSite(dial, active);
  client.write(ESTABLISHED);
  opened();
  try {
    if ((await sniffProtocol(client, asked, remote, said, active)) === 'http') {
      // Whoever parses asks over connections of its own: this one is not read as a stream.
      remote.destroy();
      return 'http';
    }
  } catch (error) {
    remote.destroy();
    client.destroy();
    throw error;
  }
  return join(client, asked, remote, said, { signal: active.signal, idleMs: TUNNEL_IDLE_MS });
}
