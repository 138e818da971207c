/**
 * Which way a browser's request goes: through the gateway or past it. It must agree with `decide()`: what the rule of
 * access lets through goes through the gateway, and all the rest goes as if there were no gateway (the lock of a site then
 * answers by itself). Pure and free of Node, for it runs in browsers; `pac.ts` says the same in a PAC's language.
 */

/** What a client is told by `GET /me/access`, as far as it matters here. */
export interface Routed {
  readonly gateway: { readonly scheme: 'http' | 'https'; readonly host: string; readonly port: number };
  readonly allSites: boolean;
  /** Addresses as sites keep them. */
  readonly sites: readonly string[];
  /** Hosts that never go through the gateway: the console's own. */
  readonly bypass: readonly string[];
}

/** Ports by stored pattern; 0 stands for 80 and 443. */
export type PortsByPattern = Readonly<Record<string, readonly number[]>>;

/** Stored addresses, arranged for one look-up a pattern. */
export function portsByPattern(sites: readonly string[]): PortsByPattern {
  const patterns: Record<string, number[]> = Object.create(null);
  for (const address of sites) {
    const [pattern = '', port = '0'] = address.split(':');
    (patterns[pattern] ??= []).push(Number(port));
  }
  return patterns;
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
/** A canonical host of `host.ts`, as browsers hand it on: lower case and punycode are the URL parser's work. */
export const HOST_NAME = `^(?=.{1,253}$)(?:${label}\\.)+(?!(?:[0-9]+|0x[0-9a-f]*)$)${label}$`;
const hostName = new RegExp(HOST_NAME);

/** The ports of schemes that browsers ask a proxy for. */
export const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, ws: 80, https: 443, wss: 443 };

/**
 * Makes the function that tells whether a request goes through the gateway.
 * @returns for anything that is no web address: false
 */
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
