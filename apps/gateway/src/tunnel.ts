import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import { connectUpstream } from '@propusk/dial/upstream';
import { type Carried, join } from './join.ts';
import type { Passage } from './live.ts';
import { readOpening } from './opening.ts';

/**
 * CONNECT (RFC 9110 section 9.3.6):
 *
 *   client ── CONNECT ──> gateway ── dial ──────────────> site
 *                                └── dial ──> proxy ── CONNECT ──> site
 *   client <── 200 ────── gateway, then its first bytes are looked at (opening.ts), and from then on bytes (join.ts)
 */

export const TUNNEL_IDLE_MS = 5 * 60_000;
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

/** A connection to the site itself, past or through the company's proxy. @throws Refusal */
export function reach(dial: Dial, { target, egress, signal }: Passage): Promise<Socket> {
  return egress.kind === 'direct'
    ? dial(target.host, target.port, signal)
    : connectUpstream(dial, egress, target, signal);
}

/**
 * Opens the tunnel and carries it to its end, or until it turns out to carry HTTP that must be parsed.
 * @param head what the client sent behind its request without waiting
 * @returns what was carried, or the connection to the site for whoever parses
 * @throws Refusal `opened` tells whether the client has had its 200
 */
export async function tunnel(
  dial: Dial,
  passage: Passage,
  client: Duplex,
  head: Buffer,
  opened: () => void,
): Promise<Carried | Socket> {
  const remote = await reach(dial, passage);
  client.write(ESTABLISHED);
  opened();
  if (head.length > 0) client.unshift(head);
  try {
    if ((await readOpening(client, remote, passage)) === 'http') return remote;
  } catch (error) {
    remote.destroy();
    client.destroy();
    throw error;
  }
  return join(client, remote, { signal: passage.signal, idleMs: TUNNEL_IDLE_MS });
}
