import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import { connectUpstream } from '@propusk/dial/upstream';
import { type Intake, RawIntake, StreamIntake } from './intake.ts';
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

/** The same, with where its bytes come in. */
async function reachToJoin(dial: Dial, passage: Passage): Promise<readonly [Socket, Intake]> {
  const { target, egress, signal } = passage;
  if (egress.kind === 'direct') {
    const said = new RawIntake();
    return [await dial(target.host, target.port, signal, 'site', said.onread), said];
  }
  const remote = await connectUpstream(dial, egress, target, signal);
  return [remote, new StreamIntake(remote)];
}

/**
 * Opens the tunnel and carries it to its end, or until it turns out to carry HTTP that must be parsed.
 * @param asked where the client's bytes come in
 * @returns what was carried, or that there is HTTP in it: then it is the client's intake that still has it
 * @throws Refusal `opened` tells whether the client has had its 200
 */
export async function tunnel(
  dial: Dial,
  passage: Passage,
  client: Duplex,
  asked: Intake,
  opened: () => void,
): Promise<Carried | 'http'> {
  const [remote, said] = await reachToJoin(dial, passage);
  client.write(ESTABLISHED);
  opened();
  try {
    if ((await readOpening(client, asked, remote, said, passage)) === 'http') {
      // Whoever parses asks over connections of its own: this one is not read as a stream.
      remote.destroy();
      return 'http';
    }
  } catch (error) {
    remote.destroy();
    client.destroy();
    throw error;
  }
  return join(client, asked, remote, said, { signal: passage.signal, idleMs: TUNNEL_IDLE_MS });
}
