import type { CompanySnapshot, RightTimes } from '@propusk/contract/feed';
import type { StoredAddresses } from '@propusk/contract/record-settings';
import { TimeRule } from './time-rule.ts';

/**
 * Indexes company snapshots, so that `decide()` needs only a few map lookups. `decide()` allocates memory
 * only for lookups of parent domains and of hosts with `www.`.
 */

/** The egress of an allowed request. */
export type Egress =
  /** `family`: the address family of the gateway's egress; 0 if the egress has both families or is not known. */
  | { readonly kind: 'direct'; readonly shared: boolean; readonly family: 0 | 4 | 6 }
  | {
      readonly kind: 'upstream';
      readonly shared: boolean;
      readonly proxyId: number;
      readonly host: string;
      readonly port: number;
      readonly username: string;
      readonly password: string;
    };

/** An allowing decision. */
export interface Grant {
  readonly allow: true;
  readonly egress: Egress;
  readonly policyId: number;
  /** The first moment at which the decision can change by time alone, in ms since 1970; infinite for never. */
  readonly until: number;
}

/** `decide()` returns a policy without times as the grant, so that it allocates no object. */
export interface PolicyIndex extends Grant {
  readonly allSites: boolean;
  /** The times of the policy; null for always. */
  readonly rule: TimeRule | null;
  /** Whether the plan of the company no longer includes the proxy. The policy then allows nothing. */
  readonly ended: boolean;
}

export interface SiteIndex {
  readonly id: number;
  /** The port in the address of the site; 0 for an address without a port, which covers 80 and 443. */
  readonly port: number;
  readonly companyId: number;
  /** See `CompanySnapshot`. */
  readonly claim: number | null;
  /** The policies that contain this site, in ascending order of id. */
  readonly policies: readonly PolicyIndex[];
  /** The next site of the same pattern, at another port. A linked list, because most patterns have one site. */
  readonly next: SiteIndex | null;
}

export interface UserIndex {
  readonly id: number;
  readonly company: CompanyIndex;
  readonly epoch: number;
  /** The user's policies, in ascending order of id. */
  readonly policies: readonly PolicyIndex[];
  /** The moments at which the user's memberships end, in ms since 1970; null if none ends. */
  readonly ends: ReadonlyMap<PolicyIndex, number> | null;
}

export interface CompanyIndex {
  readonly id: number;
  readonly version: number;
  /** The form in which access records store client addresses. */
  readonly addresses: StoredAddresses;
  readonly users: readonly UserIndex[];
  /** Ids of the suspended users, who are not in `users`. */
  readonly suspended: readonly number[];
  /** The sites by stored pattern without the port: `crm.example.ru`, `*.example.ru`. */
  readonly patterns: ReadonlyMap<string, SiteIndex>;
  /** The sites of `*.` patterns, keyed by the domain after `*.`, so that `decide()` builds no pattern string. */
  readonly wild: ReadonlyMap<string, SiteIndex>;
}

/** A claim to a host pattern. On shared egress, only the company whose claim has the lowest rank may use the pattern. */
export interface Claim {
  readonly companyId: number;
  readonly claim: number;
}

/** The index of all companies: users by id, and for each host pattern the claim with the lowest rank. */
export interface AccessIndex {
  readonly companies: Map<number, CompanyIndex>;
  readonly users: Map<number, UserIndex>;
  /** Ids of suspended users. */
  readonly suspended: Set<number>;
  /**
   * The claim with the lowest rank to each exact host, keyed by a hash of the host's parent domain and then by host. Lookups in
   * one map of a million hosts would miss the CPU cache.
   */
  readonly claims: Map<number, Map<string, Claim>>;
  /** The claim with the lowest rank to each `*.` pattern, keyed by the domain after `*.`. */
  readonly wildClaims: Map<string, Claim>;
  /** All claims to each pattern that several companies claim, the claim with the lowest rank first. */
  readonly contested: Map<string, readonly Claim[]>;
  /**
   * The number of new claims since the process started. A new claim can deny a host to other companies, so the gateway checks its
   * active requests again when this number changes.
   */
  newClaims: number;
}

/** An index without companies: it denies everything. */
export function emptyIndex(): AccessIndex {
  return {
    // Grows with companies and their objects. Bound: 1,000 objects of each kind per company. At the bound: the api refuses a new
    // object with 409
    companies: new Map(),
    // Grows with the users of all companies. Bound: 1,000 users per company. At the bound: the api refuses a new user with 409
    users: new Map(),
    // Grows with the users of all companies. Bound: 1,000 users per company. At the bound: the api refuses a new user with 409
    suspended: new Set(),
    // Grows with the sites of all companies. Bound: 1,000 sites per company. At the bound: the api refuses a new site with 409
    claims: new Map(),
    // Grows with the sites of all companies. Bound: 1,000 sites per company. At the bound: the api refuses a new site with 409
    wildClaims: new Map(),
    // Grows with the sites of all companies. Bound: 1,000 sites per company. At the bound: the api refuses a new site with 409
    contested: new Map(),
    newClaims: 0,
  };
}

/**
 * Replaces the snapshot of a company in one synchronous step.
 * @param anyVersion also accepts an older version. The first snapshot of a feed connection needs this,
 *   because the database may have been restored from a backup.
 * @returns false when the snapshot was ignored, because the index has the same or a newer version
 */
export function putCompany(index: AccessIndex, snapshot: CompanySnapshot, anyVersion = false): boolean {
  const old = index.companies.get(snapshot.companyId);
  if (!anyVersion && old !== undefined && old.version >= snapshot.version) return false;
  const company = indexCompany(snapshot);
  removeCompany(index, snapshot.companyId);
  index.companies.set(company.id, company);
  for (const user of company.users) index.users.set(user.id, user);
  for (const id of company.suspended) index.suspended.add(id);
  for (const [pattern, first] of company.patterns) {
    const claim = lowestClaim(first);
    if (claim === null) continue;
    if (claim.claim !== lowestClaim(old?.patterns.get(pattern) ?? null)?.claim) index.newClaims += 1;
    addClaim(index, pattern, claim);
  }
  return true;
}

function lowestClaim(first: SiteIndex | null): Claim | null {
  let lowest: Claim | null = null;
  for (let site = first; site !== null; site = site.next) {
    if (isClaim(site) && (lowest === null || site.claim < lowest.claim)) lowest = site;
  }
  return lowest;
}

const isClaim = (site: SiteIndex): site is SiteIndex & Claim => site.claim !== null;

/** Stores in the index that a company claims a pattern. */
export function addClaim(index: AccessIndex, pattern: string, claim: Claim): void {
  const [claims, key] = claimsOf(index, pattern);
  const holder = claims.get(key);
  if (holder === undefined) return void claims.set(key, claim);
  const all = [...(index.contested.get(pattern) ?? [holder]), claim].sort((a, b) => a.claim - b.claim);
  hold(index, pattern, all);
}

function removeClaim(index: AccessIndex, pattern: string, companyId: number): void {
  const [claims, key] = claimsOf(index, pattern);
  const holder = claims.get(key);
  const all = index.contested.get(pattern) ?? (holder === undefined ? [] : [holder]);
  const others = all.filter((claim) => claim.companyId !== companyId);
  hold(index, pattern, others);
}

/** Replaces the claims to a pattern. @param all the new claims, the claim with the lowest rank first */
function hold(index: AccessIndex, pattern: string, all: readonly Claim[]): void {
  const [claims, key] = claimsOf(index, pattern);
  const [first, second] = all;
  if (first === undefined) claims.delete(key);
  else claims.set(key, first);
  if (second === undefined) index.contested.delete(pattern);
  else index.contested.set(pattern, all);
  if (claims.size === 0 && claims !== index.wildClaims) index.claims.delete(domainHash(pattern));
}

function claimsOf({ claims, wildClaims }: AccessIndex, pattern: string): [Map<string, Claim>, string] {
  if (isWild(pattern)) return [wildClaims, pattern.slice(2)];
  const domain = domainHash(pattern);
  let siblings = claims.get(domain);
  // Grows with the sites of all companies. Bound: 1,000 sites per company. At the bound: the api refuses a new site with 409
  if (siblings === undefined) claims.set(domain, (siblings = new Map()));
  return [siblings, pattern];
}

/** Returns the claim with the lowest rank to an exact host. Claims to `*.` patterns are ignored. */
export function claimTo(index: AccessIndex, host: string): Claim | undefined {
  return index.claims.get(domainHash(host))?.get(host);
}

/** Hashes a host's parent domain without allocating memory. A collision only puts the hosts of two domains into one map. */
function domainHash(host: string): number {
  let hash = 0;
  for (let i = host.indexOf('.') + 1; i < host.length; i++)
    hash = (hash * 31 + host.charCodeAt(i)) & 0xff_ffff;
  return hash;
}

const isWild = (pattern: string) => pattern.startsWith('*.');

/** Removes a company: all its users are denied from now on. */
export function removeCompany(index: AccessIndex, companyId: number): void {
  const company = index.companies.get(companyId);
  if (company === undefined) return;
  index.companies.delete(companyId);
  for (const user of company.users) if (index.users.get(user.id) === user) index.users.delete(user.id);
  for (const id of company.suspended) index.suspended.delete(id);
  for (const pattern of company.patterns.keys()) removeClaim(index, pattern, companyId);
}

/** Yields a site and then the sites that have the same pattern and other ports. */
export function* sitesFrom(first: SiteIndex | undefined): Generator<SiteIndex> {
  for (let site: SiteIndex | null | undefined = first; site; site = site.next) yield site;
}

const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;

/** A user while the company is indexed. */
type IndexedUser = UserIndex & { policies: readonly PolicyIndex[]; ends: UserIndex['ends'] };

function indexCompany(snapshot: CompanySnapshot): CompanyIndex {
  const { companyId, version, addresses = 'full' } = snapshot;
  const users: IndexedUser[] = [];
  const sites: SiteIndex[] = [];
  const patterns = new Map<string, SiteIndex>();
  const wild = new Map<string, SiteIndex>();
  for (const { id, address, claim } of snapshot.sites.toSorted(byId)) {
    const colon = address.indexOf(':');
    const pattern = colon === -1 ? address : address.slice(0, colon);
    const port = colon === -1 ? 0 : Number(address.slice(colon + 1));
    const site = { id, port, companyId, policies: none, next: patterns.get(pattern) ?? null, claim };
    sites.push(site);
    patterns.set(pattern, site);
    if (isWild(pattern)) wild.set(pattern.slice(2), site);
  }
  const wildcards = wild.size > 0 ? wild : noWildcards;
  const { suspended = noIds } = snapshot;
  const company = { id: companyId, version, addresses, users, suspended, patterns, wild: wildcards };
  for (const { id, epoch } of snapshot.users.toSorted(byId))
    users.push({ id, company, epoch, policies: none, ends: null });
  const egresses = new Map(snapshot.proxies.map((proxy) => [proxy.id, egressOf(proxy)]));
  const { timed } = snapshot;
  const known = new Map<number, PolicyIndex>();
  const policies: readonly (CompanySnapshot['policies'][number] & { times?: RightTimes })[] =
    timed === undefined ? snapshot.policies : [...snapshot.policies, ...timed.policies];
  for (const policy of policies.toSorted(byId)) {
    const egress = egresses.get(policy.proxyId);
    // A policy whose proxy is missing from the snapshot is dropped, because no other egress may replace the proxy.
    if (egress === undefined) continue;
    const { id: policyId, allSites, ended = false } = policy;
    const rule = policy.times === undefined ? null : new TimeRule(policy.times);
    const until = Number.POSITIVE_INFINITY;
    const entry: PolicyIndex = { allow: true, egress, policyId, until, allSites, ended, rule };
    give(users, policy.users, entry);
    give(sites, policy.sites, entry);
    if (timed !== undefined) known.set(policyId, entry);
  }
  if (timed !== undefined) giveUntil(users, known, timed.members);
  return company;
}

/** Adds policies to the lists of users whose membership ends. A membership without an end prevails. */
function giveUntil(
  users: readonly IndexedUser[],
  policies: ReadonlyMap<number, PolicyIndex>,
  members: NonNullable<CompanySnapshot['timed']>['members'],
): void {
  const found = new Map(users.map((user) => [user.id, user]));
  for (const [userId, own] of Map.groupBy(members, (member) => member.userId)) {
    const user = found.get(userId);
    if (user === undefined) continue;
    const [held, ends] = [new Set(user.policies), new Map<PolicyIndex, number>()];
    for (const { policyId, until } of own) {
      const policy = policies.get(policyId);
      if (policy !== undefined && !held.has(policy)) ends.set(policy, until);
    }
    if (ends.size === 0) continue;
    user.policies = [...held, ...ends.keys()].sort((a, b) => a.policyId - b.policyId);
    user.ends = ends;
  }
}

const none: readonly PolicyIndex[] = [];
const noIds: readonly number[] = [];
/** One empty map for all companies without wildcard patterns, to save memory. */
const noWildcards: ReadonlyMap<string, SiteIndex> = new Map();

/** Users or sites, in ascending order of id. */
type Members = readonly { readonly id: number; policies: readonly PolicyIndex[] }[];

/** Adds a policy to the lists of its users or sites. Equal lists share one array, which saves memory in large companies. */
function give(members: Members, ids: readonly number[], policy: PolicyIndex): void {
  const longer = new Map<readonly PolicyIndex[], readonly PolicyIndex[]>();
  let before: readonly PolicyIndex[] | undefined;
  let after = none;
  let [at, last] = [0, 0];
  for (const id of ids) {
    // The api sends ascending ids. After a smaller id the search starts again.
    if (id < last) at = 0;
    last = id;
    while ((members[at]?.id ?? id) < id) at += 1;
    const member = members[at];
    // The snapshot omits users without access. It can list a user or site twice.
    if (member?.id !== id || member.policies.at(-1) === policy) continue;
    if (member.policies !== before) {
      before = member.policies;
      after = longer.get(before) ?? before.concat(policy);
      longer.set(before, after);
    }
    member.policies = after;
  }
}

function egressOf(proxy: CompanySnapshot['proxies'][number]): Egress {
  const shared = proxy.type === 'default';
  if (proxy.direct) return { kind: 'direct', shared, family: proxy.family ?? 0 };
  const { id, host, port, username, password } = proxy;
  return { kind: 'upstream', shared, proxyId: id, host, port, username, password };
}
