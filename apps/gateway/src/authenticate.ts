import {
  type GatewayKeys,
  type GatewayToken,
  gatewayUsername,
  verifyGatewayToken,
} from '@propusk/access/gateway-secret';
import { Refusal } from './refusal.ts';

/**
 * Who asks: `Proxy-Authorization: Basic base64(u<id>:<token>)` (RFC 7617, RFC 9110 section 11.7.2). The signature is
 * checked here and now, for every request: nothing is remembered that a change could leave behind.
 */

/**
 * Reads the credentials of a request.
 * @returns the signed token; whether it still counts is for `Judge` to say
 * @throws Refusal no_credentials, bad_credentials
 */
export function authenticate(keys: GatewayKeys, header: string | undefined): GatewayToken {
  if (header === undefined || header === '') throw new Refusal('no_credentials');
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) throw new Refusal('bad_credentials');
  const pair = Buffer.from(encoded, 'base64').toString('latin1');
  const colon = pair.indexOf(':');
  const token = colon === -1 ? null : verifyGatewayToken(keys, pair.slice(colon + 1));
  if (token === null || pair.slice(0, colon) !== gatewayUsername(token.userId)) {
    throw new Refusal('bad_credentials');
  }
  return token;
}
