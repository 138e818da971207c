import { isIP } from 'node:net';
import { canonicalHost } from '@propusk/access/host';
import { setting } from '@propusk/contract/settings';
import { dialSettingValues } from '@propusk/phrases/dial';
import * as z from 'zod/mini';
import { parseNetworks } from './addresses.ts';

/** The dialer's settings: the gateway and the api's probe read the same variables. */

/** A setting whose `parse` returns null for an invalid text. */
function parsed<T>(parse: (text: string) => T | null, absent: T) {
  const readable = z.string().check(z.refine((text) => parse(text) !== null));
  const value = (text: string | undefined) => (text === undefined ? absent : (parse(text) ?? absent));
  return z.pipe(z.optional(readable), z.transform(value));
}

export const dialSettings = {
  GATEWAY_ALLOW_NETWORKS: setting(dialSettingValues.allowNetworks, parsed(parseNetworks, { v4: [], v6: [] })),
  GATEWAY_HOSTS: setting(dialSettingValues.hosts, parsed(parseHosts, new Map<string, readonly string[]>())),
  GATEWAY_EGRESS: setting(dialSettingValues.egress, parsed(parseEgress, {})),
  GATEWAY_OWN_ADDRESSES: setting(
    dialSettingValues.ownAddresses,
    parsed<readonly string[]>(parseAddresses, []),
  ),
  GATEWAY_OWN_PORTS: setting(dialSettingValues.ownPorts, parsed<readonly number[]>(parsePorts, [])),
  GATEWAY_DNS: setting(dialSettingValues.dns, parsed<readonly string[]>(parseDns, [])),
};

/** Local addresses that connections to sites leave from. A family without one is not dialled while the other has one. */
export interface EgressAddresses {
  readonly v4?: string;
  readonly v6?: string;
}

/** Parses `192.0.2.5,2001:db8::5`. @returns null when a part is not an address */
function parseAddresses(text: string): readonly string[] | null {
  const parts = text.split(',').map((part) => part.trim());
  return parts.every((part) => isIP(part) !== 0) ? parts : null;
}

/** Parses `5432,6379`. @returns null when a part is not a port */
function parsePorts(text: string): readonly number[] | null {
  const parts = text.split(',').map((part) => part.trim());
  return parts.every((part) => /^\d{1,5}$/.test(part) && Number(part) >= 1 && Number(part) <= 65_535)
    ? parts.map(Number)
    : null;
}

/** Parses `192.0.2.5,2001:db8::5`: at most one address of each family. @returns null when invalid */
export function parseEgress(text: string): EgressAddresses | null {
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
 * Parses `name=address,address,name=address`: a part without `=` is a further address of the preceding name.
 * @returns null when a name or an address is invalid
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

/** Parses `10.0.0.53,10.0.0.54:5353,[fd00::53]:5353`. @returns null when a part is not an address with an optional port */
export function parseDns(text: string): readonly string[] | null {
  const servers: string[] = [];
  for (const part of text.split(',')) {
    const server = part.trim();
    const [, address = server, port = '53'] =
      /^(.*[^:]):(\d{1,5})$/.exec(isIP(server) === 0 ? server : '') ?? [];
    const literal = address.replace(/^\[(.*)\]$/, '$1');
    const bracketed = literal !== address;
    if (
      isIP(literal) === 0 ||
      (bracketed && isIP(literal) === 4) ||
      Number(port) < 1 ||
      Number(port) > 65_535
    ) {
      return null;
    }
    servers.push(server);
  }
  return servers;
}
