import { canonicalHost } from '@propusk/access/host';
import type { ActiveRequest } from '../policy/active-requests.ts';
import { HANDSHAKE, readClientHello } from './client-hello.ts';

/**
 * Detects a tunnel's protocol by its first bytes, so that access to one name does not grant another name at the same address
 * (docs/decisions/010-names-inside-tunnels.md):
 *
 *   TLS                      the ClientHello's server name must be CONNECT's host
 *   HTTP, on shared egress   parsed by Node's parser: every request goes to CONNECT's host (client-connection.ts)
 *   the server speaks first  SSH, SMTP, databases: spliced, except at 80 and 443 on shared egress
 *   anything else            spliced on a company's own egress, cut on a shared one
 */

export type Step =
  /** The bytes are spliced. */
  | 'bytes'
  /** The bytes are parsed. */
  | 'http'
  /** Too few bytes to decide. */
  | 'more'
  /** Neither TLS nor HTTP: the server's first bytes decide. */
  | 'server'
  /** They name another host, or none that can be read. */
  | 'mismatch';

type Tunnelled = Pick<ActiveRequest, 'target' | 'egress'>;

/** Classifies the first bytes of a client. */
export function classify(sent: Buffer, { target, egress }: Tunnelled): Step {
  if (sent.length === 0) return 'more';
  if (sent[0] === HANDSHAKE) {
    const hello = readClientHello(sent);
    if (hello.kind === 'partial') return 'more';
    if (hello.kind === 'broken') return 'mismatch';
    const { serverName } = hello;
    if (serverName === target.host) return 'bytes';
    // Without a server name, the Host header inside TLS chooses the site, and the gateway cannot read that header.
    if (serverName === null) return egress.shared ? 'mismatch' : 'bytes';
    return canonicalHost(serverName) === target.host ? 'bytes' : 'mismatch';
  }
  if (!egress.shared) return 'bytes';
  if (target.port === 443) return 'mismatch';
  const start = sent.toString('latin1', 0, 20);
  if (/^[A-Z]{3,19} /.test(start)) return 'http';
  if (/^[A-Z]{1,19}$/.test(start)) return 'more';
  return target.port === 80 ? 'mismatch' : 'server';
}

/**
 * Whether the server's greeting identifies the protocol of a tunnel. At 80 and 443 shared egress admits only HTTP and TLS, where
 * no server sends one.
 */
export function awaitsServer({ target, egress }: Tunnelled): boolean {
  return !egress.shared || (target.port !== 80 && target.port !== 443);
}

/**
 * Classifies the first bytes of a server. On shared egress they may be HTTP, whose Host header could choose another site: a
 * response such as 408, or HTTP/2 SETTINGS (RFC 9113 section 3.4).
 */
export function classifyServer(first: Buffer, { egress }: Tunnelled): 'bytes' | 'mismatch' {
  if (!egress.shared) return 'bytes';
  const start = first.toString('latin1', 0, 5);
  const settings = first.length < 5 ? first[0] === 0 : first[3] === 4 && first[0] === 0;
  return 'HTTP/'.startsWith(start) || settings ? 'mismatch' : 'bytes';
}
