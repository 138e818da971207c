/**
 * One spelling for a host, whatever way it came in: CONNECT, an absolute URL, a pasted address, a PAC's argument. All
 * who decide about access go through here, so that two of them can never read one name differently.
 */

/** A lower-case punycode DNS name of two labels or more, without a trailing dot. Never an address. */
export type CanonicalHost = string & { readonly canonical: unique symbol };

export interface Target {
  readonly host: CanonicalHost;
  readonly port: number;
}

// Everything that can stand in a host as people or clients write it. Delimiters of a URL, '%' escapes and white space
// are refused before the URL parser can give them a meaning.
// oxlint-disable-next-line no-control-regex -- they are what this pattern refuses
const spelled = /^[^\s\u0000-\u0020\u007f"#%/:<>?@[\\\]^`{|}]+$/;
// RFC 1123 labels; an underscore is no host letter there, but resolvers and browsers take it and sites have it.
const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

// What most clients send is spelled so already: letters and digits, no punycode, which has rules of its own, and a last
// label that no one could read as a number.
const canonical =
  /^(?:(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!xn--)[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The one spelling of a host name.
 * @returns null for what is not a public-looking DNS name: addresses in any notation (`127.1`, `0x7f000001`, `[::1]`,
 * `①②⑦.0.0.1`), single labels, empty or over-long labels.
 */
export function canonicalHost(raw: string): CanonicalHost | null {
  if (raw.length <= 253 && canonical.test(raw)) return raw as CanonicalHost;
  if (raw.length > 1000 || !spelled.test(raw)) return null;
  // The WHATWG parser does the IDNA mapping (UTS 46) and turns every numeric notation into a dotted quad.
  if (!URL.canParse(`http://${raw}/`)) return null;
  let host = new URL(`http://${raw}/`).hostname;
  if (host.endsWith('.')) host = host.slice(0, -1);
  if (host.length === 0 || host.length > 253) return null;
  const labels = host.split('.');
  if (labels.length < 2 || !labels.every((part) => label.test(part))) return null;
  // A last label of digits is an address or a broken one; no public suffix is numeric (RFC 3696 section 2).
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels[labels.length - 1] ?? '')) return null;
  return host as CanonicalHost;
}

/**
 * Reads `host:port`, as CONNECT has it (RFC 9110 section 9.3.6).
 * @returns null without a port, with a port outside 1..65535, or with a host that has no canonical spelling
 */
export function parseAuthority(raw: string): Target | null {
  const match = /^(.+):(\d{1,5})$/.exec(raw);
  const host = match?.[1] === undefined ? null : canonicalHost(match[1]);
  const port = Number(match?.[2]);
  if (host === null || port < 1 || port > 65535) return null;
  return { host, port };
}
