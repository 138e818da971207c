import { isIP } from 'node:net';
import { canonicalHost } from '@propusk/access/host';
import { listenAddress, origin, readSettings, setting, wholeNumber } from '@propusk/contract/settings';
import * as z from 'zod/mini';
import { type Networks, parseNetworks } from './addresses.ts';

/**
 * The gateway's settings, read from the environment once. A bad one stops the start with one line that names it.
 */

/** Reads a setting by a function that answers null for what it does not take. */
function parsed<T>(parse: (text: string) => T | null, absent: T) {
  const readable = z.string().check(z.refine((text) => parse(text) !== null));
  const value = (text: string | undefined) => (text === undefined ? absent : (parse(text) ?? absent));
  return z.pipe(z.optional(readable), z.transform(value));
}

const spec = {
  GATEWAY_PORT: wholeNumber(3128, 0, 65535),
  GATEWAY_HOST: listenAddress(),
  GATEWAY_SECRET: setting('не меньше 32 случайных символов', z.string().check(z.minLength(32))),
  API_URL: origin(),
  PUBLIC_URL: origin(),
  CONSOLE_URL: origin(),
  DATA_DIR: setting('папка для данных', z._default(z.string(), './data')),
  SNAPSHOT_MAX_AGE: wholeNumber(900, 1, 86_400),
  GATEWAY_ALLOW_NETWORKS: setting(
    'сети через запятую, например 10.0.0.0/8,fd00::/8',
    parsed(parseNetworks, { v4: [], v6: [] }),
  ),
  GATEWAY_HOSTS: setting(
    'имена с адресами через запятую, например crm.example.ru=10.0.0.5',
    parsed(parseHosts, new Map<string, readonly string[]>()),
  ),
  GATEWAY_EGRESS: setting(
    'адреса этой машины, с которых шлюз выходит к сайтам: один IPv4, один IPv6 или оба через запятую',
    parsed(parseEgress, {}),
  ),
  LOG_LEVEL: setting(
    'fatal, error, warn, info, debug, trace или silent',
    z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  ),
};

/** Addresses of this machine that sites see. */
export interface Egress {
  readonly v4?: string;
  readonly v6?: string;
}

export interface Config {
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  readonly secret: string;
  /** Where the feed is: `${apiUrl}/api/feed`. */
  readonly apiUrl: string;
  /** Where a refused person is sent. */
  readonly consoleUrl: string;
  readonly dataDir: string;
  /** How long a snapshot is believed after the feed fell silent. */
  readonly snapshotMaxAgeMs: number;
  readonly allowNetworks: Networks;
  /** Addresses by name, asked before DNS. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  /** Where connections leave from; without one of a family the system chooses. */
  readonly egress: Egress;
  readonly logLevel: string;
}

/** @throws SettingError with one line that names the setting, what was given and what it takes */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const s = readSettings(spec, env);
  const apiUrl = (s.API_URL ?? 'http://127.0.0.1:3000').replace(/\/$/, '');
  return {
    host: s.GATEWAY_HOST,
    port: s.GATEWAY_PORT,
    secret: s.GATEWAY_SECRET,
    apiUrl,
    consoleUrl: s.CONSOLE_URL ?? s.PUBLIC_URL ?? apiUrl,
    dataDir: s.DATA_DIR,
    snapshotMaxAgeMs: s.SNAPSHOT_MAX_AGE * 1000,
    allowNetworks: s.GATEWAY_ALLOW_NETWORKS,
    hosts: s.GATEWAY_HOSTS,
    egress: s.GATEWAY_EGRESS,
    logLevel: s.LOG_LEVEL,
  };
}

/** Reads `192.0.2.5,2001:db8::5`: at most one address of a family. @returns null when it is anything else */
export function parseEgress(text: string): Egress | null {
  const egress: { v4?: string; v6?: string } = {};
  for (const part of text.split(',')) {
    const address = part.trim();
    const family = isIP(address) === 4 ? 'v4' : 'v6';
    if (isIP(address) === 0 || egress[family] !== undefined) return null;
    egress[family] = address;
  }
  return egress;
}

/**
 * Reads `name=address,address,name=address`: a part without `=` is one more address of the name before it.
 * @returns null when a name or an address cannot be read
 */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> | null {
  const hosts = new Map<string, string[]>();
  let addresses: string[] | undefined;
  for (const part of text.split(',')) {
    const match = /^(?:([^=]*)=)?(.*)$/.exec(part.trim());
    if (match?.[1] !== undefined) {
      const name = canonicalHost(match[1]);
      if (name === null) return null;
      addresses = hosts.get(name) ?? [];
      hosts.set(name, addresses);
    }
    const address = match?.[2] ?? '';
    if (addresses === undefined || isIP(address) === 0) return null;
    addresses.push(address);
  }
  return hosts;
}
