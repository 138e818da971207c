import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect as connectPlain, isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { isLoopback } from '@propusk/contract/settings';
import { addressAllowed, parseNetworks } from '@propusk/dial/addresses';
import type { Check, Finding } from './check.ts';

/** Checks over the network, from this machine: console, gateway, names and certificates. */

const WAIT_MS = 5_000;
const DAY_MS = 86_400_000;
/** Let's Encrypt's certificates are renewed 30 days before their end. */
const LATE_DAYS = 14;

export const checkConsole: Check<'config'> = async ({ config: { localUrl: url } }) => {
  const reply = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(WAIT_MS) }).catch(() => null);
  if (reply === null) return [{ level: 'error', code: 'console_down', params: { url } }];
  const body = await reply.text().catch(() => '');
  if (reply.status === 200 && body === '{"status":"ok"}') return [{ level: 'ok', code: 'console_up' }];
  return body.includes('"unavailable"')
    ? [{ level: 'error', code: 'console_ill' }]
    : [{ level: 'error', code: 'console_foreign', params: { url } }];
};

/** A request without credentials: the gateway, and no other server, answers 407 with its own reason (docs/specification). */
export const checkGateway: Check<'config' | 'env'> = async ({ env, config: { gatewayUrl } }) => {
  const host =
    !env.GATEWAY_HOST || /^(0\.0\.0\.0|::)$/.test(env.GATEWAY_HOST) ? '127.0.0.1' : env.GATEWAY_HOST;
  const port = Number(env.GATEWAY_PORT || 3128);
  const isSecure = gatewayUrl.protocol === 'https:' && (env.GATEWAY_TLS_CERT || env.TLS === 'auto');
  const { get } = isSecure ? https : http;
  const target = { host, port, path: 'http://propusk.invalid/', agent: false };
  // The certificate names the public host, not this machine's address.
  const request = get({ ...target, rejectUnauthorized: false, signal: AbortSignal.timeout(WAIT_MS) });
  const status = await once(request, 'response').then(
    ([reply]: IncomingMessage[]) => (reply?.destroy(), reply?.statusCode),
    (error) => (error.code === 'ECONNREFUSED' ? null : 0),
  );
  if (status === 407) return [{ level: 'ok', code: 'gateway_up' }];
  const params = { at: `${host}:${port}` };
  return [{ level: 'error', code: status === null ? 'gateway_down' : 'gateway_foreign', params }];
};

const nothing = parseNetworks('');

/** The names of console and gateway: in DNS, reachable from here, with a certificate that browsers accept. */
export const checkNames: Check = async ({ config: { publicUrl, gatewayUrl } }) => {
  const urls = [publicUrl, gatewayUrl].filter(({ hostname }) => !isLoopback(hostname));
  const found = await Promise.all(urls.map((url) => checkName(url)));
  return found.flat();
};

async function checkName(url: URL): Promise<Finding[]> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(name, { all: true }).catch(() => []);
  const [first] = addresses;
  if (first === undefined) return [{ level: 'error', code: 'name_missing', params: { name } }];
  const { address } = first;
  if (
    nothing !== null &&
    isIP(name) === 0 &&
    addresses.every((each) => !addressAllowed(each.address, nothing))
  )
    return [
      { level: 'warning', code: 'name_internal', params: { name, address } },
      ...(await certificateOf(url)),
    ];
  return certificateOf(url);
}

async function certificateOf(url: URL): Promise<Finding[]> {
  const name = url.host;
  const secure = url.protocol === 'https:';
  const port = Number(url.port || (secure ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const servername = isIP(host) === 0 ? host : '';
  const socket = secure
    ? connect({ host, port, servername, rejectUnauthorized: false })
    : connectPlain({ host, port });
  socket.setTimeout(WAIT_MS, () => socket.destroy(new Error('timeout')));
  const up = await new Promise<boolean>((resolve) => {
    socket.once(secure ? 'secureConnect' : 'connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  // Behind some routers a machine does not reach its own external address: no error, but no proof either.
  if (!up) return [{ level: 'warning', code: 'unreached', params: { name } }];
  const found = secure ? judge(name, socket as TLSSocket) : [];
  socket.destroy();
  return found;
}

function judge(name: string, socket: TLSSocket): Finding[] {
  const left = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
  // Node types it as an Error; it is OpenSSL's code, or Node's own for another name.
  const fault = socket.authorizationError as unknown as string | null;
  if (left < LATE_DAYS)
    return [{ level: left < 1 ? 'error' : 'warning', code: 'certificate_ends', params: { name, left } }];
  if (fault) return [{ level: 'error', code: 'certificate_refused', params: { name, fault } }];
  return [{ level: 'ok', code: 'certificate_good', params: { name, left } }];
}
