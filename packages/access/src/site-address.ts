import { parse } from 'tldts';
import { type CanonicalHost, canonicalHost } from './host.ts';

/** A site covers one host and its `www.`, or with `wildcard` the host and all names below it. */
export interface SiteAddress {
  readonly host: CanonicalHost;
  readonly wildcard: boolean;
  /** The port in the address; null means 80 and 443. */
  readonly port: number | null;
}

/** Why an address is not a valid site. */
export type AddressFault =
  | 'email_address'
  | 'not_a_host'
  | 'several_addresses'
  | 'symbols'
  | 'ip_address'
  | 'single_label'
  | 'public_suffix'
  | 'bad_port';

/** Parses a pasted address, such as `https://CRM.example.ru/login?x`, an IDN wildcard, or `crm.example.ru:8443`. */
export function parseSiteAddress(raw: string): SiteAddress | { fault: AddressFault } {
  const typed = raw.trim();
  const text = typed.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const named = /^[^/?#\\]*/.exec(text)?.[0] ?? '';
  // Text with @ and without a scheme is an email address. In a URL, the text before @ is a user name.
  if (text === typed && named.includes('@')) return { fault: 'email_address' };
  const authority = named.replace(/^[^@]*@/, '');
  const wildcard = authority.startsWith('*.');
  const rest = wildcard ? authority.slice(2) : authority;
  const match = /^(.*?)(?::(\d*))?$/.exec(rest);
  const name = match?.[1] ?? '';
  const host = canonicalHost(name);
  if (host === null) return { fault: faultOf(name) };
  if (/\s/.test(typed)) return { fault: 'several_addresses' };
  const port = match?.[2] === undefined || match[2] === '' ? null : Number(match[2]);
  if (port !== null && (port < 1 || port > 65535)) return { fault: 'bad_port' };
  const known = parse(host, { allowPrivateDomains: true, validateHostname: false });
  if (known.domain === null) return { fault: 'public_suffix' };
  // A site without a port covers both 80 and 443.
  return { host, wildcard, port: port === 80 || port === 443 ? null : port };
}

function faultOf(name: string): AddressFault {
  if (name.startsWith('[')) return 'ip_address';
  if (URL.canParse(`http://${name}/`)) {
    const { hostname } = new URL(`http://${name}/`);
    if (/^[\d.]+$/.test(hostname)) return 'ip_address';
    if (!hostname.replace(/\.$/, '').includes('.')) return 'single_label';
  }
  return 'not_a_host';
}

/** Formats a site address as it is stored and sent to clients: `*.xn--e1afmkfd.xn--p1ai`, `crm.example.ru:8443`. */
export function formatSiteAddress(site: SiteAddress): string {
  return `${site.wildcard ? '*.' : ''}${site.host}${site.port === null ? '' : `:${site.port}`}`;
}
