import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * What the api and its gateways agree on by the one GATEWAY_SECRET. Each use has a key of its own (RFC 5869), so that
 * what is made for one can never serve as another. Node only.
 */
export interface GatewayKeys {
  /** Signs the tokens that people show to the gateway. */
  readonly token: KeyObject;
  /** Signs the tokens of the api's own probes. */
  readonly probe: KeyObject;
  /** Encrypts the snapshot on the gateway's disk (32 bytes, AES-256). */
  readonly snapshot: Buffer;
  /** The gateway's own bearer token at the feed. */
  readonly feed: string;
}

/** @param secret GATEWAY_SECRET: 32 characters or more of good entropy */
export function gatewayKeys(secret: string): GatewayKeys {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, 'propusk', use, 32));
  return {
    // As objects: of bytes a key would be made anew for every signature.
    token: createSecretKey(derive('gateway-token')),
    probe: createSecretKey(derive('gateway-probe')),
    snapshot: derive('gateway-snapshot'),
    feed: derive('gateway-feed').toString('base64url'),
  };
}

export interface GatewayToken {
  readonly userId: number;
  /** Must equal the user's epoch in the snapshot: it rises when the tokens must die. */
  readonly epoch: number;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** The user name that goes with a token as the Basic password. */
export function gatewayUsername(userId: number): string {
  return `u${userId}`;
}

/** Signs a token. Its letters need no escaping in a URL. */
export function signGatewayToken(keys: GatewayKeys, token: GatewayToken): string {
  const claims = `${token.userId}.${token.epoch}.${token.expires}`;
  return `${claims}.${sign(keys, claims)}`;
}

/** @returns what was signed, expired or not; null for anything that this secret did not sign */
export function verifyGatewayToken(keys: GatewayKeys, raw: string): GatewayToken | null {
  const match = /^((\d{1,16})\.(\d{1,16})\.(\d{1,16}))\.([A-Za-z0-9_-]{43})$/.exec(raw);
  const [, claims, userId, epoch, expires, signature] = match ?? [];
  if (claims === undefined || signature === undefined) return null;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(keys, claims)))) return null;
  return { userId: Number(userId), epoch: Number(epoch), expires: Number(expires) };
}

function sign(keys: GatewayKeys, claims: string): string {
  return mac(keys.token, claims);
}

function mac(key: KeyObject, claims: string): string {
  return createHmac('sha256', key).update(claims).digest('base64url');
}

/** One host and port that a probe of the platform may reach through the gateway itself. */
export interface ProbeToken {
  readonly host: string;
  readonly port: number;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** The user name that goes with a probe's token. No person has it. */
export const PROBE_USERNAME = 'probe';

/**
 * Signs a token for the api's own probes: to learn where the gateway leaves from, and to see a locked site through it.
 * It opens one host for as long as a probe takes, and stands for nobody.
 */
export function signProbeToken({ probe }: GatewayKeys, { host, port, expires }: ProbeToken): string {
  const claims = `${host}:${port}.${expires}`;
  return `${claims}.${mac(probe, claims)}`;
}

/** @returns what was signed, expired or not; null for anything that this secret did not sign as a probe */
export function verifyProbeToken({ probe }: GatewayKeys, raw: string): ProbeToken | null {
  const match = /^(([^\s:]{1,253}):(\d{1,5})\.(\d{1,16}))\.([A-Za-z0-9_-]{43})$/.exec(raw);
  const [, claims, host, port, expires, signature] = match ?? [];
  if (claims === undefined || host === undefined || signature === undefined) return null;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(mac(probe, claims)))) return null;
  return { host, port: Number(port), expires: Number(expires) };
}
