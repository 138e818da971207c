import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

/**
 * Compares this clock with a server's Date header (RFC 9110 section 6.6.1).
 * @returns the seconds that this clock is ahead; NaN without the header
 * @throws Error of the connection
 */
export async function secondsAhead(url: string, signal: AbortSignal): Promise<number> {
  const { get } = url.startsWith('https:') ? https : http;
  // A clock that is years off makes every certificate invalid, and a private CA is unknown here. The reply is only compared with the clock.
  const asking = get(url, { agent: false, signal, rejectUnauthorized: false });
  const [reply] = (await once(asking, 'response')) as [IncomingMessage];
  reply.destroy();
  return Math.round((Date.now() - Date.parse(reply.headers.date ?? '')) / 1_000);
}
