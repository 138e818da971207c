import { DEFAULT_PORTS, HOST_NAME, portsByPattern, type Routed } from './pac-route.ts';

/** A PAC script for a browser's proxy setting. */
export interface PacScript {
  /** The script contains only ASCII, because Chromium rejects other characters. */
  readonly data: string;
  /**
   * Whether a browser that cannot run the script blocks all requests. True only with `allSites`: otherwise a
   * browser that cannot run the script would also block sites outside the policies.
   */
  readonly mandatory: boolean;
}

/**
 * The PAC script (`FindProxyForURL`) for the sites that a user reaches. A protected host has no `DIRECT` fallback: it stays
 * closed while the gateway is down. The script uses host and port only, since browsers hide the path of https URLs from a
 * PAC. A request costs one look-up per label of its host.
 * @throws Error for a gateway host that cannot be written into a PAC
 */
export function pacScript(routed: Routed): PacScript {
  const { scheme, host, port } = routed.gateway;
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i.test(host)) throw new Error('the gateway has no host for a PAC');
  const way = `${scheme === 'https' ? 'HTTPS' : 'PROXY'} ${host}:${port}`;
  const bypass = Object.fromEntries(routed.bypass.map((name) => [name.toLowerCase(), 1]));
  // The table has no prototype, so that a look-up of a name such as `constructor` finds no inherited property.
  const table = (entries: object) =>
    ascii(
      JSON.stringify(entries)
        .replace(/^\{(?=")/, '{__proto__:null,')
        .replace(/^\{\}$/, '{__proto__:null}'),
    );
  const data = `var SITES = ${table(portsByPattern(routed.sites))};
var BYPASS = ${table(bypass)};
var PORTS = ${table(DEFAULT_PORTS)};
var HOST = new RegExp(${JSON.stringify(HOST_NAME)});
function has(pattern, port, web) {
  var ports = SITES[pattern];
  return !!ports && (ports.indexOf(port) !== -1 || (web && ports.indexOf(0) !== -1));
}
function guarded(url, name) {
  var parts = /^([a-z]+):\\/\\/(?:[^\\/?#]*@)?(?:\\[[^\\]]*\\]|[^:\\/?#]*)(?::([0-9]+))?/i.exec(url);
  if (!parts) return false;
  var port = Number(parts[2]) || PORTS[parts[1].toLowerCase()];
  if (!port) return false;
  var host = name.toLowerCase().replace(/\\.$/, '');
  if (BYPASS[host] || (host === ${JSON.stringify(host.toLowerCase())} && port === ${port})) return false;
  if (!HOST.test(host) || /\\.localhost$/.test(host)) return false;
  var web = port === 80 || port === 443;
  if (${routed.allSites} && web) return true;
  if (has(host, port, web)) return true;
  if (host.slice(0, 4) === 'www.' && has(host.slice(4), port, web)) return true;
  for (var rest = host; rest.indexOf('.') !== -1; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (has('*.' + rest, port, web)) return true;
  }
  return false;
}
function FindProxyForURL(url, host) {
  return guarded(url, host) ? ${JSON.stringify(way)} : 'DIRECT';
}
`;
  return { data, mandatory: routed.allSites };
}

function ascii(text: string): string {
  return text.replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
