import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from './active-requests.ts';
import { type PeekableSource, SocketSource, StreamSource } from './peekable-source.ts';
import { sniffProtocol } from './protocol-sniffer.ts';
import { type Carried, join } from './splice.ts';
import { askForTunnel, dialUpstream } from './upstream.ts';

/**
 * CONNECT (RFC 9110 section 9.3.6):
 *
 *   client ── CONNECT ──> gateway ── dial ──────────────> site
 *                                └── dial ──> proxy ── CONNECT ──> site
 *   client <── 200 ────── gateway, then its first bytes are looked at (protocol-sniffer.ts), and from then on bytes (splice.ts)
 */

export const TUNNEL_IDLE_MS = 5 * 60_000;
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/** A connection to the site itself, past or through the company's proxy, to be read as a stream. @throws Refusal */
export async function reach(dial: Dial, { target, egress, signal }: ActiveRequest): Promise<Socket> {
  if (egress.kind === 'direct') return dial(target.host, target.port, signal);
  const socket = await dialUpstream(dial, egress, signal);
  const said = new StreamSource(socket);
  await askForTunnel(socket, said, egress, target, signal);
  said.release();
  return socket;
}

/** The same, to be read by an intake. */
async function reachToJoin(
  dial: Dial,
  { target, egress, signal }: ActiveRequest,
  said: SocketSource,
): Promise<Socket> {
  if (egress.kind === 'direct') return dial(target.host, target.port, signal, 'site', said.onread);
  const socket = await dialUpstream(dial, egress, signal, said.onread);
  await askForTunnel(socket, said, egress, target, signal);
  return socket;
}

/**
 * Opens the tunnel and carries it to its end, or until it turns out to carry HTTP that must be parsed.
 * @param asked where the client's bytes come in
 * @returns what was carried, or that there is HTTP in it: then it is the client's intake that still has it
 * @throws Refusal `opened` tells whether the client has had its 200
 */
export async function tunnel(
  dial: Dial,
  active: ActiveRequest,
  client: Duplex,
  asked: PeekableSource,
  opened: () => void,
): Promise<Carried | 'http'> {
  const said = new SocketSource();
  const remote = await reachToJoin(dial, active, said);
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
