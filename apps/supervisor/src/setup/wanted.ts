import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { setupPhrases } from '@propusk/phrases/setup';
import { say } from '../command.ts';
import type { readOptions, TlsMode } from './options.ts';

/** The ports that the settings give, or their defaults. */
export interface Ports {
  readonly http: number;
  readonly https: number;
  readonly gateway: number;
}

/** The settings that belong to a mode: a change of the mode removes those that the new mode does not set. */
const ofMode = [
  ...['TLS_CERT', 'TLS_KEY', 'GATEWAY_TLS_CERT', 'GATEWAY_TLS_KEY'],
  ...['GATEWAY_HOST', 'GATEWAY_PUBLIC_URL', 'GATEWAY_PLAIN'],
];

/**
 * The settings that `propusk setup` wants, except SMTP_URL; undefined for one to remove.
 * @param env the current settings
 */
export function wantedSettings(
  { domain, mail, cert, key, address }: ReturnType<typeof readOptions>,
  { tls, gateway, ports }: { tls: TlsMode; gateway: string; ports: Ports },
  env: NodeJS.ProcessEnv,
): Record<string, string | undefined> {
  const files = cert !== undefined && key !== undefined ? [resolve(cert), resolve(key)] : [];
  const named = (...names: readonly [string, string]) =>
    Object.fromEntries(files.map((file, at) => [names[at], file]));
  const isSameMode = (env.TLS || 'off') === tls;
  const kept = Object.fromEntries(ofMode.map((name) => [name, isSameMode ? env[name] : undefined]));
  const isSecure = tls === 'auto' || files.length > 0 || Boolean(kept.GATEWAY_TLS_CERT);
  // A balancer that ends TLS: on another machine, or on this one with the PROXY protocol.
  const isBehind = isSameMode && (env.GATEWAY_PLAIN === 'anyone' || Boolean(env.GATEWAY_PROXY_PROTOCOL));
  const isPlain = !isSecure && isBehind;
  if (!isSecure && !isPlain) say(setupPhrases.gatewayWithoutTls());
  return {
    ...kept,
    PUBLIC_URL: originOf(domain, ports.https),
    REGISTRATION: 'invited',
    TLS: tls,
    ...(tls === 'auto' && { ACME_MAIL: mail }),
    ...(tls === 'files' && named('TLS_CERT', 'TLS_KEY')),
    ...(tls === 'off' && { TRUST_PROXY: env.TRUST_PROXY || '127.0.0.1' }),
    ...named('GATEWAY_TLS_CERT', 'GATEWAY_TLS_KEY'),
    // Behind NAT no interface has the address.
    ...(address.length > 0 && { GATEWAY_OWN_ADDRESSES: address.join(',') }),
    ...(!isPlain && {
      GATEWAY_PLAIN: undefined,
      GATEWAY_HOST: isSecure ? everyAddress() : undefined,
      GATEWAY_PUBLIC_URL: isSecure ? originOf(gateway, ports.gateway) : undefined,
    }),
  };
}

const originOf = (name: string, port: number) => new URL(`https://${name}:${port}`).origin;

/** The wildcard of IPv6 also accepts IPv4, and cannot be bound where IPv6 is off. */
function everyAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}
