import { join, resolve } from 'node:path';
import { Email, Password } from '@propusk/contract/fields';
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
import { apiSettingRefusals, apiSettingValues, senderName, settingPhrases } from '@propusk/phrases/settings';
import * as z from 'zod/mini';
import { type TlsConfig, tlsConfig, tlsSettings } from './certificates/settings.ts';

// The sender of mails. Only characters that need no quoting in the header From are allowed (RFC 5322 section 3.2.3).
const sender = /^(?:[^<>"@,;:\\\p{Cc}]{1,100} <[^\s<>"@,;:]+@[^\s<>"@,;:]+>|[^\s<>"@,;:]+@[^\s<>"@,;:]+)$/u;

/** The environment variables of the api. */
export const apiSettings = {
  PORT: wholeNumber(3000, 1, 65535),
  HOST: listenAddress(),
  PUBLIC_URL: origin(),
  GATEWAY_PORT: wholeNumber(3128, 1, 65535),
  GATEWAY_HOST: listenAddress(),
  GATEWAY_PUBLIC_URL: origin(),
  ECHO_URL: origin(),
  ...dialSettings,
  ...overloadSettings,
  ...tlsSettings,
  API_METRICS_PORT: setting(
    apiSettingValues.apiMetricsPort,
    z.optional(
      z.string().check(
        z.regex(/^\d{1,5}$/),
        z.refine((text) => Number(text) <= 65_535),
      ),
    ),
  ),
  API_DOCS: setting(apiSettingValues.apiDocs, z._default(z.enum(['open', 'closed']), 'open')),
  HELP_URL: setting(
    apiSettingValues.helpUrl,
    z.optional(z.string().check(z.refine((text) => /^https?:/.test(text) && URL.canParse(text)))),
  ),
  DATABASE_URL: setting(
    apiSettingValues.databaseUrl,
    z.optional(z.string().check(z.regex(/^postgres(ql)?:\/\/\S+$/))),
  ),
  SECRET_KEY: plain(apiSettingValues.secret, 32),
  GATEWAY_SECRET: plain(apiSettingValues.secret, 32),
  DATA_DIR: setting(apiSettingValues.dataDir, z._default(z.string(), './data')),
  EXTENSION_DIR: setting(apiSettingValues.extensionDir, z.optional(z.string())),
  EXTENSION_CHROMIUM_STORE: setting(
    apiSettingValues.chromiumStore,
    z.optional(z.string().check(z.regex(/^https:\/\/chromewebstore\.google\.com\/[^\s?#]+\/[a-p]{32}\/?$/))),
  ),
  EXTENSION_FIREFOX_STORE: setting(
    apiSettingValues.firefoxStore,
    z.optional(z.string().check(z.regex(/^https:\/\/addons\.mozilla\.org\/[^\s?#]+\/[\w.@~-]+\/?$/))),
  ),
  SMTP_URL: setting(apiSettingValues.smtpUrl, z.optional(z.string().check(z.refine(isSmtp)))),
  MAIL_FROM: setting(apiSettingValues.mailFrom, z.optional(z.string().check(z.regex(sender)))),
  TRUST_PROXY: setting(apiSettingValues.trustProxy, addressList),
  REGISTRATION: setting(apiSettingValues.registration, z.optional(z.enum(['open', 'invited', 'closed']))),
  STOP_DELAY: wholeNumber(0, 0, 60),
  AUDIT_RETENTION: wholeNumber(60, 1, 120),
  LOG_RETENTION: wholeNumber(90, 1, 366),
  // `npm start` sets DISK_RESERVE; operators do not.
  DISK_RESERVE: setting(apiSettingValues.diskReserve, z.optional(z.string())),
  ADMIN_EMAIL: setting(apiSettingValues.adminEmail, z.optional(Email)),
  ADMIN_PASSWORD: setting(apiSettingValues.adminPassword, z.optional(Password)),
  LOG_LEVEL: setting(
    apiSettingValues.logLevel,
    z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  ),
};

/** Who may register a company (ADR 020). `first` means `open` while the platform has no company, and `invited` afterwards. */
export type RegistrationRule = 'open' | 'first' | 'invited' | 'closed';

/** The settings of the server of api and console, with defaults applied. */
export interface ServerConfig {
  /** The URL of the api for processes on this machine. */
  readonly localUrl: string;
  /** The URL of the console for users. Links start with this URL, never with the Host header of a request. */
  readonly publicUrl: URL;
  /** The URL of the gateway for clients. */
  readonly gatewayUrl: URL;
  /** The URL of the echo call, which returns the egress address of a proxy. */
  readonly echoUrl: URL;
  /** The fields from this one to `dns` are rules of the gateway for dialing and name resolution. Probes obey the same rules. */
  readonly allowNetworks: Networks;
  readonly ownAddresses: readonly string[];
  /** The product's ports on this machine. Connections of tenants to these ports are refused. */
  readonly ownPorts: ReadonlySet<number>;
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly egress: EgressAddresses;
  /** The DNS servers to use instead of those of the system. */
  readonly dns: readonly string[];
  /** The URL of the SMTP server. When undefined, mails are written to `mailFolder`. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly mailFolder: string;
  readonly registration: RegistrationRule;
  /** Whether a company that registered without an invitation must confirm its mailbox before the gateway admits its users. */
  readonly confirmsMail: boolean;
  /** Addresses and networks of reverse proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy: readonly string[];
  /** The absolute path of the data folder. */
  readonly dataDir: string;
  /** The absolute path of the folder with the signed builds of the extension. */
  readonly extensionDir: string;
  /** The addresses of the extension in the stores of the browsers. */
  readonly extensionStores: { readonly chromium: string | null; readonly firefox: string | null };
  /** How many days records of access are kept. */
  readonly logDays: number;
  /** The URL of the knowledge base that replaces the console's user guide. */
  readonly helpUrl: string | undefined;
  /** The maximum number of concurrent connections to the api. */
  readonly sockets: number;
  /** The limit of heap and buffers, in bytes. Beyond the limit, requests get 503. */
  readonly memory: number;
  /** Whether the api serves `/api/docs`. */
  readonly documentation: boolean;
}

/** The settings of the api's process. */
export interface Config extends ServerConfig {
  readonly host: string;
  readonly port: number;
  /** The TLS settings of the console; undefined when a reverse proxy terminates TLS. */
  readonly tls: TlsConfig | undefined;
  readonly databaseUrl: string | undefined;
  readonly secretKey: string | undefined;
  readonly gatewaySecret: string | undefined;
  /** How many milliseconds the api continues to serve after SIGTERM. Meanwhile its health endpoint answers 503 to balancers. */
  readonly stopDelayMs: number;
  /** The file that reserves space on the disk of the embedded database. */
  readonly reserveFile: string | undefined;
  /** The retention of the audit in whole months. */
  readonly auditMonths: number;
  readonly admin: { readonly email: string; readonly password: string } | null;
  /** The port of the metrics on loopback; undefined disables them. */
  readonly metricsPort: number | undefined;
  readonly logLevel: string;
}

/** @throws SettingError with one line that names the setting and its valid values */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const s = readSettings(apiSettings, env, settingPhrases);
  if ((s.ADMIN_EMAIL === undefined) !== (s.ADMIN_PASSWORD === undefined)) {
    throw new SettingError(apiSettingRefusals.adminIncomplete());
  }
  const admin =
    s.ADMIN_EMAIL !== undefined && s.ADMIN_PASSWORD !== undefined
      ? { email: s.ADMIN_EMAIL, password: s.ADMIN_PASSWORD }
      : null;
  const localUrl = `http://${reachable(s.HOST)}:${s.PORT}`;
  const publicUrl = new URL(s.PUBLIC_URL ?? localUrl);
  const dataDir = resolve(s.DATA_DIR);
  const gatewayUrl = new URL(s.GATEWAY_PUBLIC_URL ?? `http://${reachable(s.GATEWAY_HOST)}:${s.GATEWAY_PORT}`);
  // The host of PUBLIC_URL shows whether other machines reach the api. If PUBLIC_URL is not set, HOST shows this, because the
  // default of PUBLIC_URL is always on loopback.
  const onLoopback = isLoopback(s.PUBLIC_URL === undefined ? s.HOST : publicUrl.hostname);
  // Without SMTP_URL, confirmation mails would be files on this machine, and no stranger could confirm a company.
  if (s.REGISTRATION === 'open' && !onLoopback && s.SMTP_URL === undefined)
    throw new SettingError(apiSettingRefusals.openWithoutMail());
  return {
    host: s.HOST,
    port: s.PORT,
    localUrl,
    publicUrl,
    gatewayUrl,
    tls: tlsConfig(s, { publicUrl, gatewayUrl, dataDir }),
    echoUrl: new URL(s.ECHO_URL ?? publicUrl),
    allowNetworks: s.GATEWAY_ALLOW_NETWORKS,
    ownAddresses: s.GATEWAY_OWN_ADDRESSES,
    ownPorts: ownPorts(s),
    hosts: s.GATEWAY_HOSTS,
    egress: s.GATEWAY_EGRESS,
    dns: s.GATEWAY_DNS,
    databaseUrl: s.DATABASE_URL,
    secretKey: s.SECRET_KEY,
    gatewaySecret: s.GATEWAY_SECRET,
    smtpUrl: s.SMTP_URL,
    mailFrom: s.MAIL_FROM ?? `${senderName} <${defaultSender(s.SMTP_URL, publicUrl)}>`,
    mailFolder: join(dataDir, 'mail'),
    registration: s.REGISTRATION ?? (onLoopback ? 'open' : 'first'),
    confirmsMail: !onLoopback,
    trustProxy: s.TRUST_PROXY,
    dataDir,
    extensionDir: resolve(s.EXTENSION_DIR ?? join(dataDir, 'extension')),
    extensionStores: {
      chromium: s.EXTENSION_CHROMIUM_STORE ?? null,
      firefox: s.EXTENSION_FIREFOX_STORE ?? null,
    },
    stopDelayMs: s.STOP_DELAY * 1000,
    reserveFile: s.DISK_RESERVE,
    auditMonths: s.AUDIT_RETENTION,
    logDays: s.LOG_RETENTION,
    admin,
    sockets: s.SOCKETS,
    memory: memoryLimit(s.MEMORY),
    metricsPort: s.API_METRICS_PORT === undefined ? undefined : Number(s.API_METRICS_PORT),
    helpUrl: s.HELP_URL === undefined ? undefined : new URL(s.HELP_URL).href,
    documentation: s.API_DOCS === 'open',
    logLevel: s.LOG_LEVEL,
  };
}

/**
 * Returns the ports that tenants must not reach: the ports in GATEWAY_OWN_PORTS, and the ports of the product and its database.
 * Leaves out the product's ports 80 and 443.
 */
function ownPorts(s: ReturnType<typeof readSettings<typeof apiSettings>>): ReadonlySet<number> {
  const database = Number((s.DATABASE_URL && URL.parse(s.DATABASE_URL)?.port) || 5432);
  const listening = [s.PORT, s.GATEWAY_PORT, Number(s.API_METRICS_PORT ?? 0), s.HTTP_PORT, s.HTTPS_PORT];
  const ports = [...listening, database].filter((port) => port !== 0 && port !== 80 && port !== 443);
  return new Set([...s.GATEWAY_OWN_PORTS, ...ports]);
}

/** Converts a listening address to a host for URLs: a wildcard address becomes loopback. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Returns the default sender of mails. It is the SMTP login if that is an email address, because most servers
 * accept mail only from the authenticated mailbox.
 */
function defaultSender(smtpUrl: string | undefined, { hostname }: URL): string {
  const login = smtpUrl === undefined ? '' : new URL(smtpUrl).username.replaceAll('%40', '@');
  const mailbox = Email.safeParse(login).data;
  return (
    mailbox ?? `no-reply@${/[a-z]/i.test(hostname) && !hostname.startsWith('[') ? hostname : 'localhost'}`
  );
}

function isSmtp(text: string): boolean {
  if (!/^smtps?:\/\/\S+$/.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password, pathname, search, hash } = new URL(text);
  // An unescaped #, / or ? in the password ends the authority part of the URL. The text after that character, including the
  // host, becomes path, query or fragment.
  if (hash !== '' || /@/.test(pathname + search)) return false;
  // A percent sign in the user name or password of the URL must be written as %25.
  return hostname !== '' && ![username, password].some((part) => /%(?![0-9a-f]{2})/i.test(part));
}
