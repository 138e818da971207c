import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isLoopback } from '@propusk/contract/settings';
import type { Check, Examined, Finding } from './check.ts';
import { ask } from './network-checks.ts';

/** Checks of the machine: settings, disk, clock, files. */

/** With fewer free bytes than LOW, the check of the disk gives a warning; with fewer than FULL, an error. */
const LOW = 2e9;
const FULL = 3e8;
/** The largest tolerated clock offset in seconds. With a larger offset, valid one-time codes are refused (RFC 6238 section 6). */
export const CLOCK_S = 30;

/** Finds settings that contradict each other. */
function contradictions(config: Examined['config'], env: NodeJS.ProcessEnv): Finding[] {
  const { publicUrl, gatewayUrl, trustProxy } = config;
  const host = env.GATEWAY_HOST || '127.0.0.1';
  if (isLoopback(publicUrl.hostname)) return [];
  const found: Finding[] = [];
  if (publicUrl.protocol === 'http:')
    found.push({ level: 'error', code: 'settings_plain', params: { url: publicUrl.origin } });
  else if (trustProxy.length === 0 && (env.TLS ?? 'off') === 'off')
    found.push({ level: 'warning', code: 'settings_trust' });
  // A gateway on loopback is reachable if a load balancer on this machine forwards connections to it (GATEWAY_PROXY_PROTOCOL).
  if (isLoopback(host) && !env.GATEWAY_PROXY_PROTOCOL)
    found.push({ level: 'error', code: 'settings_gateway_local', params: { host } });
  else if (gatewayUrl.protocol === 'http:')
    found.push({ level: 'warning', code: 'settings_gateway_plain', params: { url: gatewayUrl.origin } });
  const isBehind = env.GATEWAY_PLAIN === 'anyone' || (isLoopback(host) && env.GATEWAY_PROXY_PROTOCOL);
  const hasTls = env.TLS === 'auto' || env.GATEWAY_TLS_CERT || isBehind;
  if (gatewayUrl.protocol === 'https:' && !hasTls)
    found.push({ level: 'error', code: 'settings_gateway_bare', params: { url: gatewayUrl.origin } });
  return found;
}

export const checkSettings: Check = async ({ config, env }) => {
  const found = contradictions(config, env);
  // The Debian package's command sets UNKNOWN_SETTINGS to the unknown setting names in its settings file.
  const names = (env.UNKNOWN_SETTINGS ?? '').split(',').filter((name) => name !== '');
  if (names.length > 0) found.push({ level: 'warning', code: 'settings_unknown', params: { names } });
  return found.length > 0 ? found : [{ level: 'ok', code: 'settings_fit' }];
};

export const checkDisk: Check = async ({ config: { dataDir } }) => {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  if (free > LOW) return [{ level: 'ok', code: 'disk_free', params: { free } }];
  return [{ level: free > FULL ? 'warning' : 'error', code: 'disk_low', params: { free, path: dataDir } }];
};

/** Compares the clock with the Date header of the certificate authority's directory (RFC 9110 section 6.6.1). */
export const checkClock: Check<'env' | 'signal'> = async ({ env, signal }) => {
  const url = new URL(env.ACME_DIRECTORY ?? 'https://acme-v02.api.letsencrypt.org/directory');
  // Accepts any certificate, because a clock that is years off makes every certificate invalid.
  const seconds = await ask(url, { signal, rejectUnauthorized: false }, ({ headers }) =>
    Math.round((Date.now() - Date.parse(headers.date ?? '')) / 1_000),
  ).catch(() => Number.NaN);
  if (Number.isNaN(seconds)) return [{ level: 'unknown', code: 'clock_unseen', params: { host: url.host } }];
  return Math.abs(seconds) <= CLOCK_S
    ? [{ level: 'ok', code: 'clock_right' }]
    : [{ level: 'error', code: 'clock_off', params: { seconds } }];
};

/**
 * Checks that this process can read the console's certificate files. Omits the gateway's certificate
 * files, because only the gateway's own user can read these files.
 */
export const checkKeys: Check = async ({ env }) => {
  const user = userInfo().username;
  const found: Finding[] = [];
  for (const path of [env.TLS_CERT, env.TLS_KEY]) {
    if (!path) continue;
    const fault = await access(path, constants.R_OK).catch((error: Error) => error);
    if (fault instanceof Error)
      found.push({ level: 'error', code: 'key_unreadable', params: { path, user } });
  }
  return found;
};
