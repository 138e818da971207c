/**
 * The canonical spelling of a host from CONNECT, an absolute URL, a pasted address, or the argument of a PAC function. Every
 * access decision uses this spelling, so that no two components read one name differently.
 */

/** A DNS name in lower case and Punycode, with at least two labels and no trailing dot. Never an IP address. */
export type CanonicalHost = string & { readonly canonical: unique symbol };

export interface Target {
  readonly host: CanonicalHost;
  readonly port: number;
}

// Characters of a host as users or clients write it. URL delimiters, '%' escapes and white space are rejected before the
// URL parser can interpret them.
// oxlint-disable-next-line no-control-regex -- the pattern rejects them
const spelled = /^[^\s\u0000-\u0020\u007f"#%/:<>?@[\\\]^`{|}]+$/;
// A label as in RFC 1123. An underscore is allowed too, because resolvers and browsers accept it and real sites use it.
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

// The fast path for common canonical names. Excludes Punycode labels, and a last label that could be a number.
const canonical =
  /^(?:(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!xn--)[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The canonical spelling of a host name.
 * @returns null for anything but a public DNS name: addresses in any notation (`127.1`, `0x7f000001`, `[::1]`,
 * `①②⑦.0.0.1`), single labels, empty or over-long labels.
 */
export function canonicalHost(raw: string): CanonicalHost | null {
  if (raw.length <= 253 && canonical.test(raw)) return raw as CanonicalHost;
  if (raw.length > 1000 || !spelled.test(raw)) return null;
  // The WHATWG parser applies IDNA (UTS 46) and turns every numeric notation of an IPv4 address into a dotted quad.
  if (!URL.canParse(`http://${raw}/`)) return null;
  let host = new URL(`http://${raw}/`).hostname;
  if (host.endsWith('.')) host = host.slice(0, -1);
  if (host.length === 0 || host.length > 253) return null;
  const labels = host.split('.');
  if (labels.length < 2 || !labels.every((part) => label.test(part))) return null;
  // No public suffix is numeric (RFC 3696 section 2), so a host with a numeric last label is no DNS name.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels[labels.length - 1] ?? '')) return null;
  return host as CanonicalHost;
}

/**
 * Parses `host:port` of CONNECT (RFC 9110 section 9.3.6).
 * @returns null without a port, for a port outside 1..65535, or for a host without a canonical spelling
 */
export function parseAuthority(raw: string): Target | null {
  const match = /^(.+):(\d{1,5})$/.exec(raw);
  const host = match?.[1] === undefined ? null : canonicalHost(match[1]);
  const port = Number(match?.[2]);
  if (host === null || port < 1 || port > 65535) return null;
  return { host, port };
}
