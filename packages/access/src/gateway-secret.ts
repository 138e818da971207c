import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * Keys derived from GATEWAY_SECRET, which the api and its gateways share. Each use has its own key (RFC 5869), so that a
 * token of one use is invalid for another. Node only.
 */
export interface GatewayKeys {
  /** The key that signs users' gateway tokens. */
  readonly token: KeyObject;
  /** The key that signs the api's probe tokens. */
  readonly probe: KeyObject;
  /** The AES-256 key that encrypts the snapshot on the gateway's disk. */
  readonly snapshot: Buffer;
  /** The AES-256 key that encrypts unsent access records on the gateway's disk. */
  readonly records: Buffer;
  /** The gateway's bearer token for the feed. */
  readonly feed: string;
}

/** @param secret GATEWAY_SECRET: at least 32 random characters */
export function gatewayKeys(secret: string): GatewayKeys {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, 'propusk', use, 32));
  return {
    // The signing keys are KeyObjects, because Node would convert bytes to a key again for every signature.
    token: createSecretKey(derive('gateway-token')),
    probe: createSecretKey(derive('gateway-probe')),
    snapshot: derive('gateway-snapshot'),
    records: derive('gateway-records'),
    feed: derive('gateway-feed').toString('base64url'),
  };
}

export interface GatewayToken {
  readonly userId: number;
  /** The user's epoch at signing. To revoke all tokens of a user, the api raises the user's epoch in the snapshot. */
  readonly epoch: number;
  /** Seconds since 1970. */
  readonly expires: number;
  /** The name of the client that requested the token; undefined if the client sent no name. */
  readonly client?: string | undefined;
}

/** The user name of the Basic credentials whose password is a gateway token. */
export function gatewayUsername(userId: number): string {
  return `u${userId}`;
}

/** Signs a token. The result needs no escaping in a URL. */
export function signGatewayToken(keys: GatewayKeys, token: GatewayToken): string {
  const claims = `${token.userId}.${token.epoch}.${token.expires}${token.client === undefined ? '' : `.${token.client}`}`;
  return `${claims}.${sign(keys, claims)}`;
}

/** @returns the signed claims, expired or not; null for a token that this secret did not sign */
export function verifyGatewayToken(keys: GatewayKeys, raw: string): GatewayToken | null {
  const match = /^((\d{1,16})\.(\d{1,16})\.(\d{1,16})(?:\.(\w[\w.~-]{0,39}))?)\.([A-Za-z0-9_-]{43})$/.exec(
    raw,
  );
  const [, claims, userId, epoch, expires, client, signature] = match ?? [];
  if (claims === undefined || signature === undefined) return null;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(keys, claims)))) return null;
  return { userId: Number(userId), epoch: Number(epoch), expires: Number(expires), client };
}

function sign(keys: GatewayKeys, claims: string): string {
  return mac(keys.token, claims);
}

function mac(key: KeyObject, claims: string): string {
  return createHmac('sha256', key).update(claims).digest('base64url');
}

/** The permission of the api's probe to reach one host and port through the gateway. */
export interface ProbeToken {
  readonly host: string;
  readonly port: number;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** The Basic user name for a probe token. No user has this name. */
export const PROBE_USERNAME = 'probe';

/**
 * Signs a token for the api's probes, which request the echo endpoint and locked sites through the gateway. The token permits
 * one host and port until it expires, and belongs to no user.
 */
export function signProbeToken({ probe }: GatewayKeys, { host, port, expires }: ProbeToken): string {
  const claims = `${host}:${port}.${expires}`;
  return `${claims}.${mac(probe, claims)}`;
}

/**
 * Verifies the signature of a probe token.
 * @returns the claims, even if they have expired; null for an invalid signature or another kind of token
 */
export function verifyProbeToken({ probe }: GatewayKeys, raw: string): ProbeToken | null {
  const match = /^(([^\s:]{1,253}):(\d{1,5})\.(\d{1,16}))\.([A-Za-z0-9_-]{43})$/.exec(raw);
  const [, claims, host, port, expires, signature] = match ?? [];
  if (claims === undefined || host === undefined || signature === undefined) return null;
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(mac(probe, claims)))) return null;
  return { host, port: Number(port), expires: Number(expires) };
}
