import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { ConnectError } from './connect-error.ts';

/** What a proxy said to CONNECT. */
export interface TunnelAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Asks the proxy at the other end of a connection for a tunnel (RFC 9110 section 9.3.6). Unlike the gateway, which needs a
 * tunnel or a reason, a probe wants to see the proxy's very answer.
 * @param authority `host:port`, a literal IPv6 host in brackets
 * @param credentials `name:password`, or nothing
 * @returns the answer; with a 2xx one the connection is the tunnel, and what came early is put back to be read first
 * @throws ConnectError when the proxy breaks off; the signal's reason when it was aborted
 */
export function connectTunnel(
  socket: Duplex,
  authority: string,
  credentials: string,
  signal: AbortSignal,
): Promise<TunnelAnswer> {
  const authorization =
    credentials === '' ? [] : ['Proxy-Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`];
  const asking = request({
    method: 'CONNECT',
    path: authority,
    headers: ['Host', authority, ...authorization],
    // Without an agent, not even `false`: any agent would connect by itself, past the rules of dialling.
    createConnection: () => socket,
    signal,
  });
  return new Promise((resolve, reject) => {
    asking.once('connect', (reply: IncomingMessage, _socket, head: Buffer) => {
      const { statusCode: status = 0, headers } = reply;
      if (status >= 200 && status < 300 && head.length > 0) socket.unshift(head);
      resolve({ status, headers });
    });
    // A proxy that knows no CONNECT answers as to any other request.
    asking.once('response', (reply: IncomingMessage) => {
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers });
      asking.destroy();
    });
    asking.on('error', () =>
      reject(signal.aborted ? signal.reason : new ConnectError('proxy', 'broken_off')),
    );
    asking.end();
  });
}
