import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { canonicalHost } from '@propusk/access/host';
import type { ActiveRequest } from './active-requests.ts';
import { HANDSHAKE, HELLO_LIMIT, readClientHello } from './client-hello.ts';
import type { PeekableSource } from './peekable-source.ts';
import { ProxyError } from './proxy-error.ts';

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
export type TunnelProtocol = 'bytes' | 'http';

/** What begins must become whole in this time; on shared egress silence, too, ends then. */
const OPENING_MS = 10_000;
const SILENCE_MS = 5 * 60_000;

type Step =
  | TunnelProtocol
  /** Not to be told yet. */
  | 'more'
  /** Neither TLS nor HTTP: only the server's first word can tell. */
  | 'server'
  | ProxyError;

/**
 * Waits for the first bytes, and leaves them with the intakes to be carried.
 * @param asked what the client sends @param said what the site does
 * @throws ProxyError sni_mismatch, timeout; the signal's reason
 */
export function sniffProtocol(
  client: Duplex,
  asked: PeekableSource,
  remote: Socket,
  said: PeekableSource,
  active: ActiveRequest,
): Promise<TunnelProtocol> {
  const { signal, target, egress } = active;
  const { promise, resolve, reject } = Promise.withResolvers<TunnelProtocol>();
  let hurried = egress.shared;
  let settled = false;
  const late = () => settle(new ProxyError('timeout', 'tunnel_silent'));
  // At these two a server never speaks first, and its word would prove nothing.
  const listens = !egress.shared || (target.port !== 80 && target.port !== 443);

  function settle(outcome: TunnelProtocol | Error): void {
    settled = true;
    clearTimeout(timer);
    client.off('close', onClose).off('end', onClose);
    remote.off('close', onClose).off('end', onClose);
    signal.removeEventListener('abort', onAbort);
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
  }
  function onClient(sent: Buffer): boolean {
    if (settled) return false;
    const step = classify(sent, active);
    if (step !== 'more' && step !== 'server') settle(step);
    else if (sent.length > HELLO_LIMIT) settle(mismatch());
    else if (!hurried) {
      hurried = true;
      clearTimeout(timer);
      timer = setTimeout(late, OPENING_MS);
    }
    return !settled;
  }
  function onRemote(first: Buffer): boolean {
    if (!settled) settle(egress.shared && mayHoldNames(first) ? mismatch() : 'bytes');
    return false;
  }
  const onClose = () => settle(new ProxyError('connect_failed'));
  const onAbort = () => settle(signal.reason ?? new ProxyError('connect_failed'));

  // Places on an egress that all share are not held by silence.
  let timer = setTimeout(late, egress.shared ? OPENING_MS : SILENCE_MS);
  // A client may half-close behind its first bytes: they are judged as those of any other.
  if (client.readableEnded) asked.peek(onClient);
  if (settled) return promise;
  if (
    signal.aborted ||
    client.destroyed ||
    client.readableEnded ||
    remote.destroyed ||
    remote.readableEnded
  ) {
    onClose();
    return promise;
  }
  signal.addEventListener('abort', onAbort);
  client.once('close', onClose).once('end', onClose);
  remote.once('close', onClose).once('end', onClose);
  asked.peek(onClient);
  if (listens) said.peek(onRemote);
  return promise;
}

/** What the first bytes of a client say. */
export function classify(sent: Buffer, { target, egress }: Pick<ActiveRequest, 'target' | 'egress'>): Step {
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

function mismatch(): ProxyError {
  return new ProxyError('sni_mismatch');
}
