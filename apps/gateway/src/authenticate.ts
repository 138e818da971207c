import {
  type GatewayKeys,
  type GatewayToken,
  gatewayUsername,
  PROBE_USERNAME,
  type ProbeToken,
  verifyGatewayToken,
  verifyProbeToken,
} from '@propusk/access/gateway-secret';
import { ProxyError } from './proxy-error.ts';

/**
 * Who asks: `Proxy-Authorization: Basic base64(name:token)` (RFC 7617, RFC 9110 section 11.7.2), a person (`u<id>`) or
 * the api's probe (`probe`). Here only the signature is checked. Whether what it signed still counts is judged for every
 * request, so that remembering a signature that was right leaves nothing behind that a change could want back.
 */

/** A person with a right to be judged, or a probe that may reach the one target it was signed for. */
export type Caller = GatewayToken | ProbeToken;

/** Whether the caller is a person. */
export function isPerson(caller: Caller): caller is GatewayToken {
  return 'userId' in caller;
}

/** The caller's name, as the log tells it and places are counted by it. */
export function nameOf(caller: Caller): string {
  return isPerson(caller) ? gatewayUsername(caller.userId) : PROBE_USERNAME;
}

/** Of callers. With the length of a user's longest header, 158 characters, the memory stays below 12 MB. */
const REMEMBERED = 32_768;
/** No header that is remembered is longer, and a longer one is not looked up. */
const LONGEST = 158;

/**
 * Makes the reader of requests' credentials. A browser sends the same ones with each request, and the signature is most of
 * what reading them takes, so users' verified tokens are remembered: each in one spelling, that of RFC 7617 section 2 in
 * canonical base64 (RFC 4648 section 3.5). Other spellings of a token (`basic`, more spaces) are verified at each request.
 * @returns takes the header and returns the signed token; whether it still counts is for `Judge` to say; throws ProxyError
 * no_credentials, bad_credentials
 */
export function createAuthenticate(keys: GatewayKeys): (header: string | undefined) => Caller {
  // grows: by users, by gateway tokens; bound: 32,768 tokens in one spelling each, below 12 MB; at the bound: it is
  // emptied; tokens are verified anew; test: apps/gateway/src/authenticate-memory.test.ts
  const callers = new Map<string, Caller>();
  return (header) => {
    if (header === undefined || header === '') throw new ProxyError('no_credentials');
    const known = header.length <= LONGEST ? callers.get(header) : undefined;
    if (known !== undefined) return known;
    const { caller, spelling } = read(keys, header);
    // Of a probe comes one request; and its token holds a host name, so that the header is longer.
    if (header !== spelling || !isPerson(caller)) return caller;
    if (callers.size >= REMEMBERED) callers.clear();
    // The header itself may be a slice that keeps a whole request's head alive.
    callers.set(spelling, caller);
    return caller;
  };
}

/** A header's caller, and the one spelling in which the caller's token is remembered. */
function read(keys: GatewayKeys, header: string): { caller: Caller; spelling: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) throw new ProxyError('bad_credentials');
  const pair = Buffer.from(encoded, 'base64');
  const [name, token] = split(pair.toString('latin1'));
  // The name chooses the key, and the token must be of that name: neither kind can pass for the other.
  const caller = name === PROBE_USERNAME ? verifyProbeToken(keys, token) : verifyGatewayToken(keys, token);
  if (caller === null || name !== nameOf(caller)) throw new ProxyError('bad_credentials');
  return { caller, spelling: `Basic ${pair.toString('base64')}` };
}

/** @throws ProxyError bad_credentials without a colon */
function split(pair: string): [name: string, token: string] {
  const colon = pair.indexOf(':');
  if (colon === -1) throw new ProxyError('bad_credentials');
  return [pair.slice(0, colon), pair.slice(colon + 1)];
}
