import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { canonicalHost } from '@propusk/access/host';
import type { ActiveRequest } from './active-requests.ts';
import { HANDSHAKE, HELLO_LIMIT, readClientHello } from './client-hello.ts';
import type { PeekableSource } from './peekable-source.ts';
import { ProxyError } from './proxy-error.ts';

/**
 * Detects a tunnel's protocol by its first bytes, so that access to one name does not grant another name at the same address
 * (docs/decisions/010-names-inside-tunnels.md):
 *
 *   TLS                      the ClientHello's server name must be CONNECT's host
 *   HTTP, on shared egress   parsed by Node's parser: every request goes to CONNECT's host (client-connection.ts)
 *   the server speaks first  SSH, SMTP, databases: spliced, except at 80 and 443 on shared egress
 *   anything else            spliced on a company's own egress, cut on a shared one
 */

/** `bytes` are spliced; `http` is parsed. */
export type TunnelProtocol = 'bytes' | 'http';

/** A first message must be complete within this time; on shared egress a silent tunnel ends then too. */
const FIRST_BYTES_MS = 10_000;
const SILENCE_MS = 5 * 60_000;

type Step =
  | TunnelProtocol
  /** Too few bytes to decide. */
  | 'more'
  /** Neither TLS nor HTTP: the server's first bytes decide. */
  | 'server'
  | ProxyError;

/**
 * Waits for the first bytes, which stay in the sources.
 * @throws ProxyError sni_mismatch, timeout; the signal's reason
 */
export function sniffProtocol(
  client: Duplex,
  clientSource: PeekableSource,
  remote: Socket,
  remoteSource: PeekableSource,
  active: ActiveRequest,
): Promise<TunnelProtocol> {
  const { signal, target, egress } = active;
  const { promise, resolve, reject } = Promise.withResolvers<TunnelProtocol>();
  let hurried = egress.shared;
  let settled = false;
  const late = () => settle(new ProxyError('timeout', 'tunnel_silent'));
  // The server's greeting identifies other protocols. At 80 and 443 shared egress admits only HTTP and TLS, where none is sent.
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
      timer = setTimeout(late, FIRST_BYTES_MS);
    }
    return !settled;
  }
  function onRemote(first: Buffer): boolean {
    if (!settled) settle(egress.shared && mayHoldNames(first) ? mismatch() : 'bytes');
    return false;
  }
  const onClose = () => settle(new ProxyError('connect_failed'));
  const onAbort = () => settle(signal.reason ?? new ProxyError('connect_failed'));

  // A silent tunnel must not hold a slot of the shared egress.
  let timer = setTimeout(late, egress.shared ? FIRST_BYTES_MS : SILENCE_MS);
  // A client may half-close behind its first bytes: classify them before the check below.
  if (client.readableEnded) clientSource.peek(onClient);
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
  clientSource.peek(onClient);
  if (listens) remoteSource.peek(onRemote);
  return promise;
}

/** Classifies the first bytes of a client. */
export function classify(sent: Buffer, { target, egress }: Pick<ActiveRequest, 'target' | 'egress'>): Step {
  if (sent.length === 0) return 'more';
  if (sent[0] === HANDSHAKE) {
    const hello = readClientHello(sent);
    if (hello.kind === 'partial') return 'more';
    if (hello.kind === 'broken') return mismatch();
    // Without a server name, the Host header inside TLS chooses the site, and the gateway cannot read that header.
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

/**
 * Whether the first bytes of a server may be HTTP, whose Host header could choose another site: a response such as 408, or
 * HTTP/2 SETTINGS (RFC 9113 section 3.4).
 */
function mayHoldNames(first: Buffer): boolean {
  const start = first.subarray(0, 5).toString('latin1');
  const settings = first.length < 5 ? first[0] === 0 : first[3] === 4 && first[0] === 0;
  return 'HTTP/'.startsWith(start) || settings;
}

function mismatch(): ProxyError {
  return new ProxyError('sni_mismatch');
}
