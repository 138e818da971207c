/**
 * Decides whether a browser's request goes through the gateway or directly. The rule must agree with `decide()`: allowed requests
 * go through the gateway, and all other requests go directly to the site, whose lock answers. This module runs in browsers, so it
 * does not use Node. `pac.ts` implements the same rule as a PAC script.
 */

/** The fields of the reply to `GET /me/access` that decide the route of a request. */
export interface Routed {
  readonly gateway: { readonly scheme: 'http' | 'https'; readonly host: string; readonly port: number };
  readonly allSites: boolean;
  /** Stored site addresses. */
  readonly sites: readonly string[];
  /** Hosts whose requests never go through the gateway: the host of the console. */
  readonly bypass: readonly string[];
}

/** The ports of each host pattern. A port of 0 means both 80 and 443. */
export type PortsByPattern = Readonly<Record<string, readonly number[]>>;

/** Groups stored site addresses by host pattern, with the ports of each pattern. */
export function portsByPattern(sites: readonly string[]): PortsByPattern {
  const patterns: Record<string, number[]> = Object.create(null);
  for (const address of sites) {
    const [pattern = '', port = '0'] = address.split(':');
    (patterns[pattern] ??= []).push(Number(port));
  }
  return patterns;
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/**
 * A regular expression for host names in the canonical form of `host.ts`. The URL parser of the browser has already converted
 * each host to lower case and punycode.
 */
export const HOST_NAME = `^(?=.{1,253}$)(?:${label}\\.)+(?!(?:[0-9]+|0x[0-9a-f]*)$)${label}$`;
const hostName = new RegExp(HOST_NAME);

/** Default ports of the schemes that browsers send through a proxy. */
export const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, ws: 80, https: 443, wss: 443 };

/** @returns whether a URL goes through the gateway; false for anything but a web address */
export function createRoute(routed: Routed): (url: string) => boolean {
  const patterns = portsByPattern(routed.sites);
  const bypass = new Set(routed.bypass.map((host) => host.toLowerCase()));
  const has = (pattern: string, port: number, web: boolean) => {
    const ports = patterns[pattern];
    return ports !== undefined && (ports.includes(port) || (web && ports.includes(0)));
  };
  return (url) => {
    if (!URL.canParse(url)) return false;
    const parsed = new URL(url);
    const port = Number(parsed.port) || DEFAULT_PORTS[parsed.protocol.slice(0, -1)];
    if (port === undefined) return false;
    const host = parsed.hostname.replace(/\.$/, '');
    if (bypass.has(host) || (host === routed.gateway.host && port === routed.gateway.port)) return false;
    if (!hostName.test(host) || host.endsWith('.localhost')) return false;
    const web = port === 80 || port === 443;
    if (routed.allSites && web) return true;
    if (has(host, port, web)) return true;
    if (host.startsWith('www.') && has(host.slice(4), port, web)) return true;
    for (let name = host; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
      if (has(`*.${name}`, port, web)) return true;
    }
    return false;
  };
}
