import { Email, Password } from '@propusk/contract/fields';
import {
  listenAddress,
  origin,
  plain,
  readSettings,
  SettingError,
  setting,
  wholeNumber,
} from '@propusk/contract/settings';
import * as z from 'zod/mini';

const spec = {
  PORT: wholeNumber(3000, 1, 65535),
  HOST: listenAddress(),
  PUBLIC_URL: origin(),
  GATEWAY_PORT: wholeNumber(3128, 1, 65535),
  GATEWAY_HOST: listenAddress(),
  GATEWAY_PUBLIC_URL: origin(),
  DATABASE_URL: setting(
    'адрес PostgreSQL 15 или новее: postgresql://user:password@host/database',
    z.optional(z.string().check(z.regex(/^postgres(ql)?:\/\/\S+$/))),
  ),
  SECRET_KEY: plain('не меньше 32 случайных символов', 32),
  GATEWAY_SECRET: plain('не меньше 32 случайных символов', 32),
  ADMIN_EMAIL: setting('почта первого администратора', z.optional(Email)),
  ADMIN_PASSWORD: setting('пароль первого администратора, не меньше 8 символов', z.optional(Password)),
  LOG_LEVEL: setting(
    'fatal, error, warn, info, debug, trace или silent',
    z._default(z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']), 'info'),
  ),
};

/** Settings of the api as the environment gives them. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Where a process on this machine reaches the api. */
  readonly localUrl: string;
  /** Where people reach the console: links are made of it, never of a request's Host. */
  readonly publicUrl: URL;
  /** Where clients reach the gateway. */
  readonly gatewayUrl: URL;
  readonly databaseUrl: string | undefined;
  readonly secretKey: string | undefined;
  readonly gatewaySecret: string | undefined;
  readonly admin: { readonly email: string; readonly password: string } | null;
  readonly logLevel: string;
}

/** @throws SettingError with one line that names the setting and what it takes */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const s = readSettings(spec, env);
  if ((s.ADMIN_EMAIL === undefined) !== (s.ADMIN_PASSWORD === undefined)) {
    throw new SettingError('Настройки ADMIN_EMAIL и ADMIN_PASSWORD задают вместе');
  }
  const admin =
    s.ADMIN_EMAIL !== undefined && s.ADMIN_PASSWORD !== undefined
      ? { email: s.ADMIN_EMAIL, password: s.ADMIN_PASSWORD }
      : null;
  const localUrl = `http://${reachable(s.HOST)}:${s.PORT}`;
  return {
    host: s.HOST,
    port: s.PORT,
    localUrl,
    publicUrl: new URL(s.PUBLIC_URL ?? localUrl),
    gatewayUrl: new URL(s.GATEWAY_PUBLIC_URL ?? `http://${reachable(s.GATEWAY_HOST)}:${s.GATEWAY_PORT}`),
    databaseUrl: s.DATABASE_URL,
    secretKey: s.SECRET_KEY,
    gatewaySecret: s.GATEWAY_SECRET,
    admin,
    logLevel: s.LOG_LEVEL,
  };
}

/** An address to listen on as an address to call: the wildcard ones name no host. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
