import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { isLoopback } from '@propusk/contract/settings';
import { addressAllowed } from '@propusk/dial/addresses';
import type { Check, Finding } from './check.ts';

/** Checks that send requests from this machine: console, gateway, names and certificates. */

const WAIT_MS = 5_000;
const DAY_MS = 86_400_000;
/** A certificate with fewer than this many days of validity left gets a warning. Renewal is due 30 days before expiry. */
const LATE_DAYS = 14;

/**
 * Requests a URL over a new connection, and reads only the head of the response.
 * @throws the error of the connection or the certificate; a timeout error after 5 s, unless `options` contains a signal
 */
export async function ask<T>(
  url: URL | string,
  options: RequestOptions,
  read: (head: IncomingMessage) => T,
): Promise<T> {
  const { get } = String(url).startsWith('https:') ? https : http;
  const request = get(url, { agent: false, signal: AbortSignal.timeout(WAIT_MS), ...options });
  const [head] = (await once(request, 'response')) as [IncomingMessage];
  try {
    return read(head);
  } finally {
    head.destroy();
  }
}

export const checkConsole: Check<'config'> = async ({ config: { localUrl: url } }) => {
  const reply = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(WAIT_MS) }).catch(() => null);
  if (reply === null) return [{ level: 'error', code: 'console_down', params: { url } }];
  const body = await reply.text().catch(() => '');
  if (reply.status === 200 && body === '{"status":"ok"}') return [{ level: 'ok', code: 'console_up' }];
  return body.includes('"unavailable"')
    ? [{ level: 'error', code: 'console_ill' }]
    : [{ level: 'error', code: 'console_foreign', params: { url } }];
};

/** Sends a request without credentials, which the gateway answers with 407 (docs/specification). */
export const checkGateway: Check<'config' | 'env'> = async ({ env, config: { gatewayUrl } }) => {
  const host =
    !env.GATEWAY_HOST || /^(0\.0\.0\.0|::)$/.test(env.GATEWAY_HOST) ? '127.0.0.1' : env.GATEWAY_HOST;
  const at = `${isIP(host) === 6 ? `[${host}]` : host}:${env.GATEWAY_PORT || 3128}`;
  const isSecure = gatewayUrl.protocol === 'https:' && (env.GATEWAY_TLS_CERT || env.TLS === 'auto');
  const options = { path: 'http://propusk.invalid/', rejectUnauthorized: false };
  const status = await ask(
    `${isSecure ? 'https' : 'http'}://${at}`,
    options,
    (head) => head.statusCode,
  ).catch((error) => (error.code === 'ECONNREFUSED' ? null : 0));
  if (status === 407) return [{ level: 'ok', code: 'gateway_up' }];
  const code = status === null ? 'gateway_down' : 'gateway_foreign';
  return [{ level: 'error', code, params: { at } }];
};

/** Checks the host names of console and gateway: DNS records, reachability from this machine, and valid certificates. */
export const checkNames: Check = async ({ config: { publicUrl, gatewayUrl } }) => {
  const urls = [publicUrl, gatewayUrl].filter(({ hostname }) => !isLoopback(hostname));
  const found = await Promise.all(urls.map((url) => checkName(url)));
  return found.flat();
};

async function checkName(url: URL): Promise<Finding[]> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const [first, ...others] = await lookup(name, { all: true }).catch(() => []);
  if (first === undefined) return [{ level: 'error', code: 'name_missing', params: { name } }];
  const { address } = first;
  const isInternal =
    isIP(name) === 0 && ![first, ...others].some((each) => addressAllowed(each.address, { v4: [], v6: [] }));
  const found: Finding[] = isInternal
    ? [{ level: 'warning', code: 'name_internal', params: { name, address } }]
    : [];
  // An unreachable name is only a warning: without NAT hairpinning, a machine cannot reach its own external address.
  const unreached: Finding[] = [{ level: 'warning', code: 'unreached', params: { name: url.host } }];
  const judged = await ask(url, { rejectUnauthorized: false }, ({ socket }) =>
    url.protocol === 'https:' ? judge(url.host, socket as TLSSocket) : [],
  ).catch(() => unreached);
  return [...found, ...judged];
}

function judge(name: string, socket: TLSSocket): Finding[] {
  const left = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
  // `authorizationError` has the type Error, but is a string: an error code of OpenSSL or of Node.
  const fault = socket.authorizationError as unknown as string | null;
  if (left < LATE_DAYS)
    return [{ level: left < 1 ? 'error' : 'warning', code: 'certificate_ends', params: { name, left } }];
  if (fault) return [{ level: 'error', code: 'certificate_refused', params: { name, fault } }];
  return [{ level: 'ok', code: 'certificate_good', params: { name, left } }];
}
