import type { Duplex } from 'node:stream';
import type { Dial } from './dial.ts';
import { type Carried, join } from './join.ts';
import type { Passage } from './live.ts';
import { connectUpstream } from './upstream.ts';

/**
 * CONNECT (RFC 9110 section 9.3.6):
 *
 *   client ── CONNECT ──> gateway ── dial ──────────────> site
 *                                └── dial ──> proxy ── CONNECT ──> site
 *   client <── 200 ────── gateway, and from then on bytes (join.ts)
 */

const IDLE_MS = 5 * 60_000;

/**
 * Opens the tunnel and carries it to its end.
 * @param head what the client sent behind its request without waiting
 * @throws Refusal when it could not be opened; nothing has been written to the client then
 */
export async function tunnel(dial: Dial, passage: Passage, client: Duplex, head: Buffer): Promise<Carried> {
  const { target, egress, signal } = passage;
  const remote =
    egress.kind === 'direct'
      ? await dial(target.host, target.port, signal)
      : await connectUpstream(dial, egress, target, signal);
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) client.unshift(head);
  return join(client, remote, { signal, idleMs: IDLE_MS });
}
