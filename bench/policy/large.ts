import type { CanonicalHost } from '@propusk/access/host';
import type { CompanySnapshot } from '@propusk/contract/feed';

/** A platform of 10,000 companies, each with 100 users, 100 sites and 10 policies. */

export const COMPANIES = 10_000;
const EACH = 100;

/** One company's snapshot. */
export function companyOf(id: number): CompanySnapshot {
  const people = Array.from({ length: EACH }, (_, i) => id * EACH + i);
  const sites = Array.from({ length: EACH }, (_, i) => ({
    id: id * EACH + i,
    address: `site${i}.company${id}.example.test`,
    claim: id * EACH + i,
  }));
  return {
    companyId: id,
    version: 1,
    users: people.map((user) => ({ id: user, epoch: 1 })),
    sites,
    proxies: [{ id: 1, type: 'default', direct: true, host: '', port: 0, username: '', password: '' }],
    policies: Array.from({ length: 10 }, (_, i) => ({
      id: id * 10 + i,
      proxyId: 1,
      allSites: false,
      users: people,
      sites: sites.slice(i * 10, i * 10 + 10).map((site) => site.id),
    })),
  };
}

export interface Asked {
  readonly user: number;
  readonly host: CanonicalHost;
}

/** Returns users of the whole platform, each with one of their sites. Deterministic. */
export function asked(count: number): Asked[] {
  let seed = 12_345;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => {
    const company = 1 + random(COMPANIES);
    return {
      user: company * EACH + random(EACH),
      host: `site${random(EACH)}.company${company}.example.test` as CanonicalHost,
    };
  });
}
