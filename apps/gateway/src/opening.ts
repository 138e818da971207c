import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { canonicalHost } from '@propusk/access/host';
import { Refusal } from '@propusk/dial/refusal';
import { HANDSHAKE, HELLO_LIMIT, readClientHello } from './client-hello.ts';
import type { Intake } from './intake.ts';
import type { Passage } from './live.ts';

/**
 * What a tunnel is used for, by its first bytes, so that a right to one name does not become one to another name at the
 * same address (docs/decisions/010-names-inside-tunnels.md):
 *
 *   TLS                      the ClientHello's server name must be CONNECT's host
 *   HTTP, on shared egress   handed to the gateway's own parser: each request goes to CONNECT's host (server.ts)
 *   the server speaks first  neither of both (SSH, SMTP, databases): carried, but at 80 and 443 on shared egress
 *   anything else            carried on a company's own egress, cut on a shared one
 */

/** `bytes` are to be joined; `http` is to be parsed. */
export type Opening = 'bytes' | 'http';

/** What begins must become whole in this time; on shared egress silence, too, ends then. */
const OPENING_MS = 10_000;
const SILENCE_MS = 5 * 60_000;

type Step =
  | Opening
  /** Not to be told yet. */
  | 'more'
  /** Neither TLS nor HTTP: only the server's first word can tell. */
  | 'server'
  | Refusal;

/**
 * Waits for the first bytes and puts them back to be read again.
 * @throws Refusal sni_mismatch, timeout; the signal's reason
 */
export function readOpening(
  client: Duplex,
  remote: Socket,
  intake: Intake,
  passage: Passage,
): Promise<Opening> {
  const { signal, target, egress } = passage;
  const { promise, resolve, reject } = Promise.withResolvers<Opening>();
  let sent = Buffer.alloc(0);
  let hurried = egress.shared;
  let settled = false;
  const late = () => settle(new Refusal('timeout', 'Соединение открыто, но по нему ничего не передано.'));
  // At these two a server never speaks first, and its word would prove nothing.
  const listens = !egress.shared || (target.port !== 80 && target.port !== 443);

  function settle(outcome: Opening | Error): void {
    clearTimeout(timer);
    client.off('readable', onClient).off('close', onClose).off('end', onClose);
    remote.off('close', onClose);
    settled = true;
    signal.removeEventListener('abort', onAbort);
    if (sent.length > 0 && !client.destroyed) client.unshift(sent);
    sent = Buffer.alloc(0);
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
  }
  function onClient(): void {
    for (let chunk = client.read(); chunk !== null; chunk = client.read())
      sent = Buffer.concat([sent, chunk]);
    const step = classify(sent, passage);
    if (step !== 'more' && step !== 'server') return settle(step);
    if (sent.length > HELLO_LIMIT) return settle(mismatch());
    if (sent.length === 0 || hurried) return;
    hurried = true;
    clearTimeout(timer);
    timer = setTimeout(late, OPENING_MS);
  }
  function onRemote(said: Buffer): void {
    if (!settled) settle(egress.shared && mayHoldNames(said) ? mismatch() : 'bytes');
  }
  const onClose = () => settle(new Refusal('connect_failed'));
  const onAbort = () => settle(signal.reason ?? new Refusal('connect_failed'));

  // Places on an egress that all share are not held by silence.
  let timer = setTimeout(late, egress.shared ? OPENING_MS : SILENCE_MS);
  if (signal.aborted || client.destroyed || remote.destroyed) {
    onClose();
    return promise;
  }
  signal.addEventListener('abort', onAbort);
  client.on('readable', onClient).once('close', onClose).once('end', onClose);
  remote.once('close', onClose);
  if (listens) intake.peek(onRemote);
  return promise;
}

/** What the first bytes of a client say. */
export function classify(sent: Buffer, { target, egress }: Pick<Passage, 'target' | 'egress'>): Step {
  if (sent.length === 0) return 'more';
  if (sent[0] === HANDSHAKE) {
    const hello = readClientHello(sent);
    if (hello.kind === 'partial') return 'more';
    if (hello.kind === 'broken') return mismatch();
    // Without a name the site answers with whatever it has first, and Host inside chooses.
    if (hello.serverName === null) return egress.shared ? mismatch() : 'bytes';
    return canonicalHost(hello.serverName) === target.host ? 'bytes' : mismatch();
  }
  if (!egress.shared) return 'bytes';
  if (target.port === 443) return mismatch();
  const start = sent.subarray(0, 20).toString('latin1');
  if (/^[A-Z]{3,19} /.test(start)) return 'http';
  if (/^[A-Z]{1,19}$/.test(start)) return 'more';
  return target.port === 80 ? mismatch() : 'server';
}

/** A server's first word that a server of many names may say: HTTP's 408, and HTTP/2's SETTINGS (RFC 9113 section 3.4). */
function mayHoldNames(said: Buffer): boolean {
  const start = said.subarray(0, 5).toString('latin1');
  const settings = said.length < 5 ? said[0] === 0 : said[3] === 4 && said[0] === 0;
  return 'HTTP/'.startsWith(start) || settings;
}

function mismatch(): Refusal {
  return new Refusal('sni_mismatch');
}
