import { type ClientRequest, type IncomingMessage, request, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import type { Dial } from '@propusk/dial/dial';
import type { ActiveRequest } from '../policy/active-requests.ts';
import type { PlainTarget } from '../policy/target.ts';
import { ProxyError } from '../proxy-error.ts';
import { connectSite } from '../tunnel/origin-connect.ts';
import { loops } from './forward.ts';
import { endToEnd, hasBody, isCoded, without } from './headers.ts';
import { HEAD_MOST, IDLE_MS, refusalOf } from './origin-request.ts';

/**
 * WebSocket in absolute form (RFC 9110 section 7.8, RFC 6455 section 4.1): `GET http://site/ws` with `Upgrade: websocket`.
 * Browsers use CONNECT; this is for clients that do not.
 *
 *   client ── GET + Upgrade ──> gateway ── the same, Host of the URL ──> site, through the company's proxy by CONNECT
 *   client <── 101 ──────────── gateway <── 101 ── site, then bytes (splice.ts)
 *   client <── its response ─── gateway <── anything else ── site, and the connection ends
 */

const REPLY_MS = 30_000;

/** Whether a request asks for WebSocket. Other upgrades are ignored, as RFC 9110 section 7.8 allows. */
export function isWebSocket(req: IncomingMessage): boolean {
  return req.method === 'GET' && !hasBody(req.headers) && /^websocket$/i.test(req.headers.upgrade ?? '');
}

/**
 * Sends one authorized upgrade to the site, and the site's response to the client.
 * @returns the site's socket if the site switched protocols: the client has got the 101; null after any other response
 * @throws ProxyError for a failure before any part of a response was sent to the client
 */
export async function upgrade(
  dial: Dial,
  via: string,
  active: ActiveRequest,
  target: PlainTarget,
  req: IncomingMessage,
  client: Duplex,
): Promise<Socket | null> {
  if (loops(req, via)) throw new ProxyError('loop');
  const { signal } = active;
  const remote = await connectSite(dial, active);
  const origin = request({
    method: 'GET',
    path: target.path,
    headers: [
      'Host',
      target.authority,
      ...without(endToEnd(req.rawHeaders), 'host'),
      ...['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Via', `1.1 ${via}`],
    ],
    createConnection: () => remote,
    maxHeaderSize: HEAD_MOST,
  });
  // The socket is paused after an upstream's answer.
  origin.once('socket', () => remote.resume());
  const onAbort = () => remote.destroy();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  remote.once('close', () => signal.removeEventListener('abort', onAbort));
  const { reply, socket } = await answered(origin, remote, active);
  if (socket === null) {
    await relay(reply, req, client, via);
    return null;
  }
  const lines = [...endToEnd(reply.rawHeaders), 'Via', `1.1 ${via}`];
  let text = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
  for (let i = 0; i < lines.length; i += 2) text += `${lines[i]}: ${lines[i + 1]}\r\n`;
  client.write(`${text}\r\n`, 'latin1');
  return socket;
}

interface Answered {
  readonly reply: IncomingMessage;
  /** The site's socket when the site answered 101; otherwise null. */
  readonly socket: Socket | null;
}

function answered(origin: ClientRequest, remote: Socket, active: ActiveRequest): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => origin.destroy(new ProxyError('timeout')), REPLY_MS);
    const fail = (error: Error) => {
      clearTimeout(timer);
      remote.destroy();
      reject(refusalOf(error, active));
    };
    origin.once('error', (error: NodeJS.ErrnoException) =>
      // Invalid HTTP is a fault of the site, not of an upstream proxy, which has opened the tunnel before.
      fail(error.code?.startsWith('HPE_') ? new ProxyError('bad_response') : error),
    );
    origin.once('upgrade', (reply: IncomingMessage, _socket, first: Buffer) => {
      clearTimeout(timer);
      if (!/^websocket$/i.test(reply.headers.upgrade ?? '')) {
        return fail(new ProxyError('bad_response'));
      }
      if (first.length > 0) remote.unshift(first);
      resolve({ reply, socket: remote });
    });
    origin.once('response', (reply) => {
      clearTimeout(timer);
      // The client must not receive a proxy challenge of the site, nor an encoded body without its Transfer-Encoding field.
      if (reply.statusCode === 407) return fail(new ProxyError('connect_failed'));
      if ((reply.statusCode ?? 0) < 200 || isCoded(reply.rawHeaders))
        return fail(new ProxyError('bad_response'));
      resolve({ reply, socket: null });
    });
    origin.end();
  });
}

/** Relays an ordinary response and ends the connection. */
function relay(reply: IncomingMessage, req: IncomingMessage, client: Duplex, via: string): Promise<void> {
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  // The connection of an http server is a Socket or a TLSSocket; the event's type is wider.
  res.assignSocket(client as Socket);
  res.writeHead(reply.statusCode ?? 502, [...endToEnd(reply.rawHeaders), 'Via', `1.1 ${via}`]);
  // Read the client to notice its disconnect, and time out a silent site.
  client.once('end', () => client.destroy()).resume();
  reply.setTimeout(IDLE_MS, () => reply.destroy());
  return new Promise((resolve) => {
    pipeline(reply, res, () => {
      client.end(() => client.destroy());
      resolve();
    });
  });
}
