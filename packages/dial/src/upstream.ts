import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Target } from '@propusk/access/host';
import type { Egress } from '@propusk/access/snapshot';
import type { Dial, Stop } from './dial.ts';
import { Refusal, type RefusalReason } from './refusal.ts';

/**
 * A company's own proxy as the way out. Its credentials go to it and nowhere else, and nothing of its challenges comes
 * back to the client: the client's credentials are for us, these are between us and the proxy.
 */

export type Upstream = Extract<Egress, { kind: 'upstream' }>;

/** How long the proxy may take to answer CONNECT: it resolves and connects in that time. */
const REPLY_MS = 10_000;

/** The proxy's credentials (RFC 7617), or none. */
export function upstreamAuthorization({ username, password }: Upstream): string[] {
  if (username === '' && password === '') return [];
  return ['Proxy-Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`];
}

/** Connects to the proxy itself. @throws Refusal in terms of the proxy, not of the site */
export async function dialUpstream(dial: Dial, upstream: Upstream, signal: Stop): Promise<Socket> {
  try {
    return await dial(upstream.host, upstream.port, signal, 'upstream');
  } catch (error) {
    const told = error instanceof Refusal ? dialFailures[error.reason] : undefined;
    throw told === undefined ? error : new Refusal(told[0], told[1]);
  }
}

const dialFailures: Partial<Record<RefusalReason, readonly [RefusalReason, string]>> = {
  address_refused: ['address_refused', 'Прокси компании стоит на внутреннем адресе, куда шлюз не соединяет.'],
  resolve_failed: ['upstream_failed', 'Имя прокси компании не найдено в DNS.'],
  connect_failed: ['upstream_failed', 'Прокси компании не принимает соединений.'],
  timeout: ['timeout', 'Прокси компании не отвечает.'],
};

/** Whether a response to a plain request is the proxy's own word that it did not take our credentials. */
export function refusedCredentials({ statusCode, headers }: IncomingMessage): boolean {
  // tinyproxy answers wrong ones with a site's 401, and its challenge would have people type passwords into it. What it
  // really carries has Via.
  const tinyproxy =
    statusCode === 401 && headers.via === undefined && String(headers.server).startsWith('tinyproxy/');
  return statusCode === 407 || tinyproxy;
}

/** What the proxy's own refusal means to a person. */
export function upstreamRefusal(status: number | undefined): Refusal {
  if (status === 407 || status === 401)
    return new Refusal('upstream_failed', 'Прокси компании не принял логин и пароль шлюза.');
  if (status === 504) return new Refusal('timeout', 'Прокси компании не дождался ответа сайта.');
  return new Refusal('upstream_failed', `Прокси компании отказал: ответ ${status}.`);
}

/**
 * Asks the proxy for a tunnel (RFC 9110 section 9.3.6).
 * @returns the tunnel; what the site already said in it is put back to be read first
 */
export async function connectUpstream(
  dial: Dial,
  upstream: Upstream,
  target: Target,
  signal: Stop,
): Promise<Socket> {
  const socket = await dialUpstream(dial, upstream, signal);
  const authority = `${target.host}:${target.port}`;
  const asking = request({
    method: 'CONNECT',
    path: authority,
    headers: ['Host', authority, ...upstreamAuthorization(upstream)],
    // Without an agent, not even `false`: any agent would connect by itself, past `dial`.
    createConnection: () => socket,
  });
  const timer = setTimeout(
    () => asking.destroy(new Refusal('timeout', 'Прокси компании не отвечает.')),
    REPLY_MS,
  );
  const onAbort = () => asking.destroy(new Error('aborted'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const settle = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  return new Promise((resolve, reject) => {
    asking.once('connect', (reply: IncomingMessage, _socket, head: Buffer) => {
      settle();
      const status = reply.statusCode ?? 0;
      if (status >= 200 && status < 300 && !socket.destroyed) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(upstreamRefusal(status));
    });
    asking.once('error', (error) => {
      settle();
      socket.destroy();
      if (signal.aborted) return reject(signal.reason);
      reject(
        error instanceof Refusal
          ? error
          : new Refusal('upstream_failed', 'Прокси компании оборвал соединение.'),
      );
    });
    asking.end();
  });
}
