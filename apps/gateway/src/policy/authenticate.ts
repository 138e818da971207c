import {
  type GatewayKeys,
  type GatewayToken,
  gatewayUsername,
  PROBE_USERNAME,
  type ProbeToken,
  verifyGatewayToken,
  verifyProbeToken,
} from '@propusk/access/gateway-secret';
import { ProxyError } from '../proxy-error.ts';

/**
 * Authenticates a caller by `Proxy-Authorization: Basic base64(name:token)` (RFC 7617, RFC 9110 section 11.7.2): a user
 * (`u<id>`) or the api's probe (`probe`). Only the signature is verified here. authorize.ts checks expiry, epoch and policy for
 * every request, so that a cached signature never outlives a revocation.
 */

/** A user, or a probe that may reach the one target in its token. */
export type Caller = GatewayToken | ProbeToken;

/** Whether the caller is a user. */
export function isUser(caller: Caller): caller is GatewayToken {
  return 'userId' in caller;
}

/** The caller's name, in the log and as the key of its concurrency limit. */
export function nameOf(caller: Caller): string {
  return isUser(caller) ? gatewayUsername(caller.userId) : PROBE_USERNAME;
}

/** Cached tokens. With a header of at most 210 characters the cache stays below 17 MB. */
const CACHED_MOST = 32_768;
/** The longest header, in characters, that a user's token needs; longer headers are neither cached nor looked up. */
const CACHED_LENGTH = 210;

/**
 * Makes the function that authenticates a header. A browser sends the same header with every request, and verifying the
 * signature takes most of the time, so users' verified tokens are cached: each in one spelling, that of RFC 7617 section 2 in
 * canonical base64 (RFC 4648 section 3.5). Other spellings (`basic`, more spaces) are verified at each request.
 * @returns takes the header and returns the signed token; throws ProxyError no_credentials, bad_credentials
 */
export function createAuthenticate(keys: GatewayKeys): (header: string | undefined) => Caller {
  // Grows with gateway tokens of users. Bound: 32,768 tokens in one spelling each, below 17 MB. At the bound: the cache is
  // emptied, and tokens are verified again
  const callers = new Map<string, Caller>();
  return (header) => {
    if (header === undefined || header === '') throw new ProxyError('no_credentials');
    const known = header.length <= CACHED_LENGTH ? callers.get(header) : undefined;
    if (known !== undefined) return known;
    const { caller, spelling } = verify(keys, header);
    // Probes are not cached: each sends one request, and its token is longer because it holds a host name.
    if (header !== spelling || !isUser(caller)) return caller;
    if (callers.size >= CACHED_MOST) callers.clear();
    // Cache `spelling`: the header may be a slice that keeps the whole request head in memory.
    callers.set(spelling, caller);
    return caller;
  };
}

/** A header's caller, and the spelling under which the cache holds the token. */
function verify(keys: GatewayKeys, header: string): { caller: Caller; spelling: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) throw new ProxyError('bad_credentials');
  const pair = Buffer.from(encoded, 'base64');
  const [name, token] = split(pair.toString('latin1'));
  // The name selects the key, and the token must contain that name, so a probe token cannot pass for a user token.
  const caller = name === PROBE_USERNAME ? verifyProbeToken(keys, token) : verifyGatewayToken(keys, token);
  if (caller === null || name !== nameOf(caller)) throw new ProxyError('bad_credentials');
  return { caller, spelling: `Basic ${pair.toString('base64')}` };
}

/** Splits `name:token`. @throws ProxyError bad_credentials when there is no colon */
function split(pair: string): [name: string, token: string] {
  const colon = pair.indexOf(':');
  if (colon === -1) throw new ProxyError('bad_credentials');
  return [pair.slice(0, colon), pair.slice(colon + 1)];
}
