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

/** What a policy that lets through says: made once, so that a decision allocates nothing. */
export interface Grant {
  readonly allow: true;
  readonly egress: Egress;
  readonly policyId: number;
}

export interface PolicyIndex {
  readonly id: number;
  readonly egress: Egress;
  readonly grant: Grant;
  readonly allSites: boolean;
}

export interface SiteIndex {
  readonly id: number;
  /** 0 stands for 80 and 443. */
  readonly port: number;
  /** See `CompanySnapshot`. */
  readonly claim: number | null;
  /** Those that hold it, by id, ascending. */
  readonly policies: readonly PolicyIndex[];
}

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
  readonly patterns: ReadonlyMap<string, readonly SiteIndex[]>;
  /** Whether one of them is `*.` of something: without, a host is looked up as it is and no other pattern is spelled. */
  readonly wild: boolean;
}

/** A company's lowest claim to a pattern. */
export interface Claim {
  readonly companyId: number;
  readonly claim: number;
}

/** What a gateway knows: every company, each user found at once, and who claims a pattern on shared egress. */
export interface AccessIndex {
  readonly companies: Map<number, CompanyIndex>;
  readonly users: Map<number, UserIndex>;
  /** Who claims a pattern, the lowest first. */
  readonly claims: Map<string, readonly Claim[]>;
  /** The same of patterns that begin with `*.`: few, so that a host is seldom looked up in all its spellings. */
  readonly wildClaims: Map<string, readonly Claim[]>;
}

/** An index without a company: everything is denied. */
export function emptyIndex(): AccessIndex {
  return { companies: new Map(), users: new Map(), claims: new Map(), wildClaims: new Map() };
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
  for (const [pattern, sites] of company.patterns) {
    let lowest: number | null = null;
    for (const { claim } of sites) if (claim !== null && (lowest === null || claim < lowest)) lowest = claim;
    if (lowest !== null) addClaim(index, pattern, { companyId: company.id, claim: lowest });
  }
  return true;
}

/** Notes a company's claim to a pattern. */
export function addClaim(index: AccessIndex, pattern: string, claim: Claim): void {
  const claims = claimsOf(index, pattern);
  const known = claims.get(pattern);
  const all = known === undefined ? [claim] : [...known, claim].sort((a, b) => a.claim - b.claim);
  claims.set(pattern, all);
}

function claimsOf({ claims, wildClaims }: AccessIndex, pattern: string): Map<string, readonly Claim[]> {
  return isWild(pattern) ? wildClaims : claims;
}

const isWild = (pattern: string) => pattern.startsWith('*.');

/** Forgets a company: all its users are denied from now on. */
export function removeCompany(index: AccessIndex, companyId: number): void {
  const company = index.companies.get(companyId);
  if (company === undefined) return;
  index.companies.delete(companyId);
  for (const [id, user] of company.users) if (index.users.get(id) === user) index.users.delete(id);
  for (const pattern of company.patterns.keys()) {
    const claims = claimsOf(index, pattern);
    const left = (claims.get(pattern) ?? []).filter((claim) => claim.companyId !== companyId);
    if (left.length === 0) claims.delete(pattern);
    else claims.set(pattern, left);
  }
}

function indexCompany(snapshot: CompanySnapshot): CompanyIndex {
  const egresses = new Map(snapshot.proxies.map((proxy) => [proxy.id, egressOf(proxy)]));
  const held = new Map<number, PolicyIndex[]>();
  const holding = new Map<number, PolicyIndex[]>();
  for (const policy of snapshot.policies.toSorted((a, b) => a.id - b.id)) {
    const egress = egresses.get(policy.proxyId);
    // A policy whose proxy is not in the snapshot leads nowhere: deny rather than guess a way out.
    if (egress === undefined) continue;
    const { id, allSites } = policy;
    const entry = { id, egress, allSites, grant: { allow: true, egress, policyId: id } as const };
    for (const user of new Set(policy.users)) push(held, user, entry);
    for (const site of new Set(policy.sites)) push(holding, site, entry);
  }
  const users = new Map<number, UserIndex>();
  const patterns = new Map<string, SiteIndex[]>();
  let wild = false;
  for (const { id, address, claim } of snapshot.sites) {
    const colon = address.indexOf(':');
    const pattern = colon === -1 ? address : address.slice(0, colon);
    const port = colon === -1 ? 0 : Number(address.slice(colon + 1));
    push(patterns, pattern, { id, port, claim, policies: holding.get(id) ?? none });
    wild ||= isWild(pattern);
  }
  const company: CompanyIndex = {
    id: snapshot.companyId,
    version: snapshot.version,
    users,
    patterns,
    wild,
  };
  for (const { id, epoch } of snapshot.users)
    users.set(id, { company, epoch, policies: held.get(id) ?? none });
  return company;
}

const none: readonly PolicyIndex[] = [];

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function egressOf(proxy: CompanySnapshot['proxies'][number]): Egress {
  const shared = proxy.type === 'default';
  if (proxy.direct) return { kind: 'direct', shared };
  const { id, host, port, username, password } = proxy;
  return { kind: 'upstream', shared, proxyId: id, host, port, username, password };
}
