import type { Snippet } from '@propusk/contract/lock';
import { formatSiteAddress, parseSiteAddress } from '../site-address.ts';
import { normalizeEgress, normalizeNetworks } from './addresses.ts';
import { apacheSnippets } from './apache.ts';
import { caddySnippets } from './caddy.ts';
import { CLOUDFLARE_NETWORKS } from './cloudflare.ts';
import { litespeedSnippet } from './litespeed.ts';
import { nginxSnippets } from './nginx.ts';

export interface LockRequest {
  /** The site as it is stored: punycode, perhaps with `*.` or a port. */
  readonly address: string;
  /** Where the traffic of the site's policies really leaves from: literals of IPv4 and IPv6. */
  readonly egress: readonly string[];
  /** Networks of the CDN in front; Cloudflare's when left out. */
  readonly cdn?: readonly string[];
}

/**
 * Ready text that shuts a site to everybody but its policies' ways out, for every server that we know.
 * Without an address there is no text: it would shut everybody out.
 * @throws RangeError when the address is not a stored site address or a way out is not a literal: both are pasted into
 * settings that a server obeys
 */
export function lockSnippets({ address, egress, cdn = CLOUDFLARE_NETWORKS }: LockRequest): Snippet[] {
  const site = parseSiteAddress(address);
  if ('fault' in site || formatSiteAddress(site) !== address) {
    throw new RangeError(`not a stored site address: ${JSON.stringify(address)}`);
  }
  const lock = { address, egress: normalizeEgress(egress), cdn: normalizeNetworks(cdn) };
  if (lock.egress.length === 0) return [];
  const [htaccess, apache, ...apacheCdn] = apacheSnippets(lock);
  const [nginx, ...nginxCdn] = nginxSnippets(lock);
  const [caddy, ...caddyCdn] = caddySnippets(lock);
  const all = [
    htaccess,
    apache,
    nginx,
    caddy,
    litespeedSnippet(lock),
    ...apacheCdn,
    ...nginxCdn,
    ...caddyCdn,
  ];
  return all.filter((snippet) => snippet !== undefined);
}
