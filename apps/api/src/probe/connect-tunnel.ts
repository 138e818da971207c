import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { ConnectError } from './connect-error.ts';

/** The head of a response from a site or proxy. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Opens a tunnel through a proxy by CONNECT (RFC 9110 section 9.3.6).
 * @param authority `host:port`, an IPv6 literal in brackets
 * @param credentials `name:password`, or an empty string
 * @returns the proxy's response to CONNECT. After a 2xx response, `connection` is the tunnel, and bytes that
 *   followed the response are put back into the connection
 * @throws ConnectError when the proxy closes the connection; the signal's reason when the signal aborts
 */
export function connectTunnel(
  connection: Duplex,
  authority: string,
  credentials: string,
  signal: AbortSignal,
): Promise<ResponseHead> {
  const authorization =
    credentials === '' ? [] : ['Proxy-Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
  const sent = request({
    method: 'CONNECT',
    path: authority,
    headers: ['Host', authority, ...authorization],
    // Any `agent`, even `false`, would open a new connection that bypasses the dialer's rules.
    createConnection: () => connection,
    signal,
  });
  return new Promise((resolve, reject) => {
    sent.once('connect', (response: IncomingMessage, _, head: Buffer) => {
      const { statusCode: status = 0, headers } = response;
      if (status >= 200 && status < 300 && head.length > 0) connection.unshift(head);
      resolve({ status, headers });
    });
    // A server that does not support CONNECT sends an ordinary response.
    sent.once('response', (response: IncomingMessage) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
      sent.destroy();
    });
    sent.on('error', () => reject(signal.aborted ? signal.reason : new ConnectError('proxy', 'broken_off')));
    sent.end();
  });
}
