import { availableParallelism } from 'node:os';
import type { TlsFiles } from '@propusk/certificate/certificate-files';
import {
  isLoopback,
  listenAddress,
  origin,
  plain,
  readSettings,
  SettingError,
  setting,
  wholeNumber,
} from '@propusk/contract/settings';
import type { Networks } from '@propusk/dial/addresses';
import { dialSettings, type EgressAddresses } from '@propusk/dial/settings';
import { addressList, memoryLimit, overloadSettings } from '@propusk/overload/settings';
import { startErrors } from '@propusk/phrases/gateway';
import { settingPhrases, gatewaySettingValues as values } from '@propusk/phrases/settings';
import * as z from 'zod/mini';

/** The gateway's environment variables. An invalid one stops the start with one line that names it. */
export const gatewaySettings = {
  GATEWAY_PORT: wholeNumber(3128, 0, 65535),
  GATEWAY_HOST: listenAddress(),
  GATEWAY_PUBLIC_URL: origin(),
  GATEWAY_PROCESSES: wholeNumber(availableParallelism(), 1, 64),
  GATEWAY_SECRET: setting(values.secret, z.string().check(z.minLength(32))),
  API_URL: origin(),
  PUBLIC_URL: origin(),
  CONSOLE_URL: origin(),
  ECHO_URL: origin(),
  DATA_DIR: setting(values.dataDir, z._default(z.string(), './data')),
  // FEED_HEARTBEAT_MS is 15 s: a shorter age would refuse everything between two heartbeats of a healthy api.
  SNAPSHOT_MAX_AGE: wholeNumber(900, 60, 86_400, values.snapshotMaxAge),
  TUNNEL_IDLE: wholeNumber(60, 1, 1_440, values.tunnelIdle),
  RECORD_SPOOL: wholeNumber(100, 0, 10_000, values.recordSpool),
  ACCESS_LOG: plain(values.accessLog),
  ...dialSettings,
  ...overloadSettings,
  GATEWAY_TLS_CERT: plain(values.tlsCert),
  GATEWAY_TLS_KEY: plain(values.tlsKey),
  GATEWAY_PLAIN: setting(values.plain, z._default(z.enum(['loopback', 'anyone']), 'loopback')),
  GATEWAY_PROXY_PROTOCOL: setting(values.proxyProtocol, addressList),
  GATEWAY_METRICS_PORT: setting(
    values.metricsPort,
    z.optional(
      z.string().check(
        z.regex(/^\d{1,5}$/),
        z.refine((text) => Number(text) <= 65_535),
      ),
    ),
  ),
  LOG_LEVEL: setting(
    values.logLevel,
    z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  ),
};

export interface Config {
  readonly host: string;
  /** The URL under which clients reach the gateway; undefined when not configured. */
  readonly publicUrl: string | undefined;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** The number of processes that serve clients. */
  readonly processes: number;
  readonly secret: string;
  /** The feed is at `${apiUrl}/api/feed`. */
  readonly apiUrl: string;
  /** The console that the error page links to. */
  readonly consoleUrl: string;
  /** The URL of the api's echo endpoint, which the gateway may reach even on this machine. */
  readonly echoUrl: string;
  readonly dataDir: string;
  /** A snapshot grants access for this time after the last feed event. */
  readonly snapshotMaxAgeMs: number;
  /** A tunnel or WebSocket without a byte for this time is closed. */
  readonly tunnelIdleMs: number;
  /** The most disk space of records of access that the api has not taken, in bytes; 0 for none. */
  readonly recordSpool: number;
  /** The file of records of access for other systems; `-` for standard output, undefined for none. */
  readonly accessLog: string | undefined;
  readonly allowNetworks: Networks;
  /** Addresses that reach this machine, besides those of its interfaces. */
  readonly ownAddresses: readonly string[];
  /** The product's ports on this machine, besides the one that the gateway listens on. */
  readonly ownPorts: readonly number[];
  /** The addresses of host names in GATEWAY_HOSTS, which are used instead of DNS. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  /** Local addresses of outgoing connections; the system chooses for a missing family. */
  readonly egress: EgressAddresses;
  /** DNS servers instead of the system's, as `address` or `address:port`. */
  readonly dns: readonly string[];
  /** The certificate of an HTTPS proxy; undefined for plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** Addresses and networks of TCP balancers, whose connections begin with a PROXY protocol header. */
  readonly proxyProtocol: readonly string[];
  /** The loopback port of health and metrics; 0 lets the system choose, undefined disables them. */
  readonly metricsPort: number | undefined;
  /** The most client connections of each process. */
  readonly sockets: number;
  /** Limit of heap and buffers of each process, in bytes. */
  readonly memory: number;
  readonly logLevel: string;
}

/** @throws SettingError with one line that names the setting, its value and the values that it takes */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const s = readSettings(gatewaySettings, env, settingPhrases);
  const apiUrl = (s.API_URL ?? 'http://127.0.0.1:3000').replace(/\/$/, '');
  const consoleUrl = s.CONSOLE_URL ?? s.PUBLIC_URL ?? apiUrl;
  const metricsPort = s.GATEWAY_METRICS_PORT === undefined ? undefined : Number(s.GATEWAY_METRICS_PORT);
  const tls = tlsFiles(s.GATEWAY_TLS_CERT, s.GATEWAY_TLS_KEY);
  // Basic authentication (RFC 7617) does not encrypt passwords.
  if (tls === undefined && s.GATEWAY_PLAIN === 'loopback' && !isLoopback(s.GATEWAY_HOST))
    throw new SettingError(startErrors.plain(s.GATEWAY_HOST));
  return {
    host: s.GATEWAY_HOST,
    publicUrl: s.GATEWAY_PUBLIC_URL,
    port: s.GATEWAY_PORT,
    processes: s.GATEWAY_PROCESSES,
    secret: s.GATEWAY_SECRET,
    apiUrl,
    consoleUrl,
    echoUrl: s.ECHO_URL ?? consoleUrl,
    dataDir: s.DATA_DIR,
    snapshotMaxAgeMs: s.SNAPSHOT_MAX_AGE * 1000,
    tunnelIdleMs: s.TUNNEL_IDLE * 60_000,
    recordSpool: s.RECORD_SPOOL * 1024 * 1024,
    accessLog: s.ACCESS_LOG,
    allowNetworks: s.GATEWAY_ALLOW_NETWORKS,
    ownAddresses: s.GATEWAY_OWN_ADDRESSES,
    ownPorts: [
      ...s.GATEWAY_OWN_PORTS,
      ...portsOf(apiUrl),
      ...(metricsPort === undefined ? [] : [metricsPort]),
    ],
    hosts: s.GATEWAY_HOSTS,
    egress: s.GATEWAY_EGRESS,
    dns: s.GATEWAY_DNS,
    tls,
    proxyProtocol: s.GATEWAY_PROXY_PROTOCOL,
    metricsPort,
    sockets: s.SOCKETS,
    memory: memoryLimit(s.MEMORY),
    logLevel: s.LOG_LEVEL,
  };
}

/**
 * The public URL of a gateway that listens on loopback, so that other machines cannot reach it there.
 * @returns null when the listener and the public URL fit, or no URL is set
 */
export function unreachableUrl({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): string | null {
  if (publicUrl === undefined || !isLoopback(host)) return null;
  return isLoopback(new URL(publicUrl).hostname) ? null : publicUrl;
}

/** The explicit port of a URL; none for the default port of its scheme. */
function portsOf(url: string): number[] {
  const { port } = new URL(url);
  return port === '' ? [] : [Number(port)];
}

function tlsFiles(cert: string | undefined, key: string | undefined): TlsFiles | undefined {
  if (cert !== undefined && key !== undefined)
    return { cert, key, settings: ['GATEWAY_TLS_CERT', 'GATEWAY_TLS_KEY'] };
  if (cert === undefined && key === undefined) return undefined;
  const [given, missing] = cert === undefined ? (['KEY', 'CERT'] as const) : (['CERT', 'KEY'] as const);
  throw new SettingError(startErrors.tlsHalf(given, missing));
}
