import { LockKind, type Snippet } from '@propusk/contract/lock';
import { lockPhrases } from '@propusk/phrases/locks';
import { formatSiteAddress, parseSiteAddress } from '../site-address.ts';
import { normalizeEgress, normalizeNetworks } from './addresses.ts';
import { apacheTexts } from './apache.ts';
import { caddyTexts } from './caddy.ts';
import { CLOUDFLARE_NETWORKS } from './cloudflare.ts';
import { litespeedText } from './litespeed.ts';
import { nginxTexts } from './nginx.ts';

export interface LockRequest {
  /** The stored site address: punycode, with or without `*.` and a port. */
  readonly address: string;
  /** The egress addresses of the site's policies: IPv4 and IPv6 literals. */
  readonly egress: readonly string[];
  /** The CDN's networks; Cloudflare's by default. */
  readonly cdn?: readonly string[];
}

/**
 * Renders the lock for every supported server. A lock allows only the egress addresses of the site's policies.
 * @returns an empty list if the site has no egress addresses, because its lock would deny everybody
 * @throws RangeError for an invalid site or egress address, because both addresses become part of a server's configuration
 */
export function lockSnippets({ address, egress, cdn = CLOUDFLARE_NETWORKS }: LockRequest): Snippet[] {
  const site = parseSiteAddress(address);
  if ('fault' in site || formatSiteAddress(site) !== address) {
    throw new RangeError(`not a stored site address: ${JSON.stringify(address)}`);
  }
  const lock = { address, egress: normalizeEgress(egress), cdn: normalizeNetworks(cdn) };
  if (lock.egress.length === 0) return [];
  const texts: Readonly<Record<LockKind, string>> = {
    ...apacheTexts(lock),
    ...nginxTexts(lock),
    ...caddyTexts(lock),
    litespeed: litespeedText(lock),
  };
  return LockKind.options.map((kind) => {
    const { title, place, notes } = lockPhrases[kind];
    return { kind, title, place, text: texts[kind], notes: [...notes] };
  });
}
