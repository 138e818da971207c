import type { CompanySnapshot } from '@propusk/contract/feed';

/**
 * Snapshots of companies, arranged so that `decide()` needs a handful of map look-ups and allocates nothing.
 */

/** The way out for an allowed request. */
export type Egress =
  | { readonly kind: 'direct'; readonly shared: boolean }
  | {
      readonly kind: 'upstream';
      readonly shared: boolean;
      readonly proxyId: number;
      readonly host: string;
      readonly port: number;
      readonly username: string;
      readonly password: string;
    };

export interface PolicyIndex {
  readonly id: number;
  readonly egress: Egress;
  readonly allSites: boolean;
  readonly sites: ReadonlySet<number>;
}

export interface SiteIndex {
  readonly id: number;
  /** See `CompanySnapshot`. */
  readonly claim: number | null;
}

/** Sites of one host pattern by port; the key 0 stands for 80 and 443. */
type Ports = Map<number, SiteIndex>;

export interface UserIndex {
  readonly company: CompanyIndex;
  readonly epoch: number;
  /** By policy id, ascending. */
  readonly policies: readonly PolicyIndex[];
}

export interface CompanyIndex {
  readonly id: number;
  readonly version: number;
  readonly users: ReadonlyMap<number, UserIndex>;
  /** By stored pattern without the port: `crm.example.ru`, `*.example.ru`. */
  readonly patterns: ReadonlyMap<string, Ports>;
}

/** What a gateway knows: every company, each user found at once, and who claims a pattern on shared egress. */
export interface AccessIndex {
  readonly companies: Map<number, CompanyIndex>;
  readonly users: Map<number, UserIndex>;
  /** Pattern → company id → the company's lowest claim to it. */
  readonly claims: Map<string, Map<number, number>>;
}

/** An index without a company: everything is denied. */
export function emptyIndex(): AccessIndex {
  return { companies: new Map(), users: new Map(), claims: new Map() };
}

/**
 * Puts a company's snapshot in the place of the one that was there, in one synchronous step.
 * @param anyVersion takes an older one too: what a source says first counts whatever was known before, or a restored
 * database could never take anything back
 * @returns false when the index already has this version or a newer one, and nothing changed
 */
export function putCompany(index: AccessIndex, snapshot: CompanySnapshot, anyVersion = false): boolean {
  const old = index.companies.get(snapshot.companyId);
  if (!anyVersion && old !== undefined && old.version >= snapshot.version) return false;
  const company = indexCompany(snapshot);
  removeCompany(index, snapshot.companyId);
  index.companies.set(company.id, company);
  for (const [id, user] of company.users) index.users.set(id, user);
  for (const [pattern, ports] of company.patterns) {
    const claim = lowestClaim(ports);
    if (claim === undefined) continue;
    const holders = index.claims.get(pattern) ?? new Map<number, number>();
    index.claims.set(pattern, holders.set(company.id, claim));
  }
  return true;
}

/** Forgets a company: all its users are denied from now on. */
export function removeCompany(index: AccessIndex, companyId: number): void {
  const company = index.companies.get(companyId);
  if (company === undefined) return;
  index.companies.delete(companyId);
  for (const [id, user] of company.users) if (index.users.get(id) === user) index.users.delete(id);
  for (const pattern of company.patterns.keys()) {
    const holders = index.claims.get(pattern);
    holders?.delete(companyId);
    if (holders?.size === 0) index.claims.delete(pattern);
  }
}

function lowestClaim(ports: Ports): number | undefined {
  let lowest: number | undefined;
  for (const site of ports.values()) {
    if (site.claim !== null && (lowest === undefined || site.claim < lowest)) lowest = site.claim;
  }
  return lowest;
}

function indexCompany(snapshot: CompanySnapshot): CompanyIndex {
  const egresses = new Map(snapshot.proxies.map((proxy) => [proxy.id, egressOf(proxy)]));
  const held = new Map<number, PolicyIndex[]>();
  for (const policy of snapshot.policies.toSorted((a, b) => a.id - b.id)) {
    const egress = egresses.get(policy.proxyId);
    // A policy whose proxy is not in the snapshot leads nowhere: deny rather than guess a way out.
    if (egress === undefined) continue;
    const entry = { id: policy.id, egress, allSites: policy.allSites, sites: new Set(policy.sites) };
    for (const user of policy.users) {
      const policies = held.get(user);
      if (policies === undefined) held.set(user, [entry]);
      else policies.push(entry);
    }
  }
  const users = new Map<number, UserIndex>();
  const patterns = new Map<string, Ports>();
  const company: CompanyIndex = { id: snapshot.companyId, version: snapshot.version, users, patterns };
  for (const { id, epoch } of snapshot.users) users.set(id, { company, epoch, policies: held.get(id) ?? [] });
  for (const { id, address, claim } of snapshot.sites) {
    const colon = address.indexOf(':');
    const pattern = colon === -1 ? address : address.slice(0, colon);
    const ports = patterns.get(pattern) ?? new Map<number, SiteIndex>();
    ports.set(colon === -1 ? 0 : Number(address.slice(colon + 1)), { id, claim });
    patterns.set(pattern, ports);
  }
  return company;
}

function egressOf(proxy: CompanySnapshot['proxies'][number]): Egress {
  const shared = proxy.type === 'default';
  if (proxy.direct) return { kind: 'direct', shared };
  const { id, host, port, username, password } = proxy;
  return { kind: 'upstream', shared, proxyId: id, host, port, username, password };
}
