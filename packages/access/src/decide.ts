import type { CanonicalHost } from './host.ts';
import {
  type AccessIndex,
  type CompanyIndex,
  claimTo,
  type Grant,
  type PolicyIndex,
  type SiteIndex,
  sitesFrom,
  type UserIndex,
} from './snapshot.ts';
import type { TimeReason, TimeState } from './time-rule.ts';

/** Why a request is denied. */
export type DenyReason =
  /** The requested host has no canonical name, so the caller cannot run `decide()`. */
  | 'bad_host'
  | 'user_removed'
  | 'suspended'
  | 'port_refused'
  | 'site_unknown'
  | 'no_policy'
  | 'host_taken'
  | 'plan_ended'
  | TimeReason;

/** A denying decision. `until` is as in `Grant`. */
interface Denial {
  readonly allow: false;
  readonly reason: DenyReason;
  readonly until: number;
}

export type Decision = Grant | Denial;

const deny = (reason: DenyReason): Decision => ({ allow: false, reason, until: Number.POSITIVE_INFINITY });
// The results are shared objects, so that a decision allocates nothing.
const userRemoved = deny('user_removed');
const isSuspended = deny('suspended');
const portRefused = deny('port_refused');
const siteUnknown = deny('site_unknown');
const noPolicy = deny('no_policy');
const hostTaken = deny('host_taken');
const planEnded = deny('plan_ended');

/**
 * Decides whether a user may reach a host and port at a moment. Denies by default.
 *
 * - A policy that contains both the user and the site allows the request. The proxy of the policy is the egress.
 * - A policy with `allSites` allows every host at ports 80 and 443.
 * - On shared egress, a host belongs to the company with the earliest claim. Other companies are denied
 *   there, even with `allSites`.
 * - A policy with a paid proxy allows nothing if the plan of the company no longer includes this proxy.
 * - A policy with times, and a membership that ends, allow nothing outside their times.
 *
 * @param now in ms since 1970; NaN when it is not known: then every right with times is denied
 */
export function decide(
  index: AccessIndex,
  userId: number,
  host: CanonicalHost,
  port: number,
  now: number,
): Decision {
  const user = index.users.get(userId);
  if (user === undefined) return index.suspended.has(userId) ? isSuspended : userRemoved;
  const web = port === 80 || port === 443;
  const { company } = user;
  let knownSite = false;
  let knownPort = false;
  let taken = false;
  let ended = false;
  let closed: TimeReason | null = null;
  /** The earliest moment at which the decision can change: a policy with times that was skipped may open then. */
  let until = Number.POSITIVE_INFINITY;
  const { patterns, wild } = company;
  for (let step = HOST; step !== END && (step < 0 || wild.size > 0); step = following(host, step)) {
    const first = step >= 0 ? wild.get(host.slice(step)) : patterns.get(step === HOST ? host : host.slice(4));
    if (first === undefined) continue;
    knownSite = true;
    const site = siteAt(first, port, web);
    if (site === undefined) continue;
    knownPort = true;
    for (const policy of site.policies) {
      if (!user.policies.includes(policy)) continue;
      if (policy.ended) ended = true;
      else if (policy.egress.shared && takenByOther(index, company, host)) taken = true;
      else {
        const state = policy.rule === null && user.ends === null ? always : timesOf(user, policy, now);
        if (state.until < until) until = state.until;
        if (state.open) return grant(policy, until);
        closed = sooner(closed, state.reason);
      }
    }
  }
  if (web) {
    for (const policy of user.policies) {
      if (!policy.allSites) continue;
      if (policy.ended) ended = true;
      else if (policy.egress.shared && takenByOther(index, company, host)) taken = true;
      else {
        const state = policy.rule === null && user.ends === null ? always : timesOf(user, policy, now);
        if (state.until < until) until = state.until;
        if (state.open) return grant(policy, until);
        closed = sooner(closed, state.reason);
      }
    }
  }
  if (closed !== null) return { allow: false, reason: closed, until };
  if (ended) return planEnded;
  if (taken) return hostTaken;
  if (knownPort) return noPolicy;
  if (knownSite) return portRefused;
  return siteUnknown;
}

const always: TimeState = { open: true, until: Number.POSITIVE_INFINITY };

/**
 * Whether the right that a policy gives a user applies now: within the times of the policy, and before the user's membership
 * ends.
 */
function timesOf(user: UserIndex, policy: PolicyIndex, now: number): TimeState {
  const end = user.ends?.get(policy) ?? Number.POSITIVE_INFINITY;
  const state = policy.rule === null ? always : policy.rule.at(now);
  if (end === Number.POSITIVE_INFINITY) return state;
  if (Number.isNaN(now)) return { open: false, reason: 'clock_unknown', until: Number.POSITIVE_INFINITY };
  if (now >= end) return { open: false, reason: 'right_ended', until: Number.POSITIVE_INFINITY };
  return end < state.until ? { ...state, until: end } : state;
}

/**
 * Returns the time until which a policy gives a user access, judged only by its times.
 * @param now as in `decide()`
 * @returns ms since 1970, infinite for ever; null if the right is closed, or if the user is not in the policy
 */
export function openUntil(user: UserIndex, policyId: number, now: number): number | null {
  const policy = user.policies.find((each) => each.policyId === policyId);
  const state = policy && timesOf(user, policy, now);
  return state?.open === true ? state.until : null;
}

/** The grant by a policy. @param until the first moment at which the decision can change */
function grant(policy: PolicyIndex, until: number): Grant {
  if (until === Number.POSITIVE_INFINITY) return policy;
  const { egress, policyId } = policy;
  return { allow: true, egress, policyId, until };
}

/** Of two reasons, the one of the right that may open sooner. */
const order: readonly TimeReason[] = ['clock_unknown', 'outside_hours', 'not_yet', 'right_ended'];
const sooner = (a: TimeReason | null, b: TimeReason): TimeReason =>
  a !== null && order.indexOf(a) < order.indexOf(b) ? a : b;

/**
 * Finds the site of a company that covers a host and port, in the order of `decide()`.
 * @param policyId the policy that the site must be in; null for any site of the company
 * @returns the id of the site; null if no site covers the host and port, for example for a request that `allSites` allowed
 */
export function siteCovering(
  { patterns, wild }: CompanyIndex,
  host: CanonicalHost,
  port: number,
  policyId: number | null,
): number | null {
  const web = port === 80 || port === 443;
  for (let step = HOST; step !== END && (step < 0 || wild.size > 0); step = following(host, step)) {
    const first = step >= 0 ? wild.get(host.slice(step)) : patterns.get(step === HOST ? host : host.slice(4));
    const site = first && siteAt(first, port, web);
    if (site === undefined) continue;
    if (policyId === null) return site.id;
    for (const policy of site.policies) if (policy.policyId === policyId) return site.id;
  }
  return null;
}

/** Finds the site that covers a port, among sites with the same host pattern. A site with exactly this port comes first. */
function siteAt(first: SiteIndex, port: number, web: boolean): SiteIndex | undefined {
  let usual: SiteIndex | undefined;
  for (let site: SiteIndex | null = first; site !== null; site = site.next) {
    if (site.port === port) return site;
    if (web && site.port === 0) usual = site;
  }
  return usual;
}

/**
 * The search for a host looks up several patterns, and a number identifies each pattern. A number of 0 or more is an offset in
 * the host name: the pattern is `*.` and the part of the host name from that offset.
 */
const BARE = -1;
const HOST = -2;
const END = -3;

/**
 * Returns the step after `step` in the search for a pattern that covers a host. The most exact pattern comes first: the host,
 * the host without its `www.`, then the wildcards of the host and of each parent domain.
 *
 * Results are not cached: clients could fill a cache with random hosts, and measurements showed no gain.
 */
function following(host: string, step: number): number {
  if (step === HOST && host.startsWith('www.') && host.indexOf('.', 4) !== -1) return BARE;
  // Skips the wildcard of the top-level domain, because a pattern has at least two labels.
  const name = step < 0 ? 0 : host.indexOf('.', step) + 1;
  return host.indexOf('.', name) === -1 ? END : name;
}

/** Every pattern that covers a host, most exact first, for database queries and explanations. */
export function patternsCovering(host: string): string[] {
  const patterns: string[] = [];
  for (let step = HOST; step !== END; step = following(host, step)) {
    if (step >= 0) patterns.push(`*.${host.slice(step)}`);
    else patterns.push(step === HOST ? host : host.slice(4));
  }
  return patterns;
}

/** Whether another company holds the oldest claim to a host. */
function takenByOther(index: AccessIndex, company: CompanyIndex, host: string): boolean {
  let oldest = claimTo(index, host);
  const { wildClaims } = index;
  for (
    let step = following(host, HOST);
    step !== END && (step < 0 || wildClaims.size > 0);
    step = following(host, step)
  ) {
    const claim = step === BARE ? claimTo(index, host.slice(4)) : wildClaims.get(host.slice(step));
    if (claim !== undefined && (oldest === undefined || claim.claim < oldest.claim)) oldest = claim;
  }
  return oldest !== undefined && oldest.companyId !== company.id;
}

/** A site whose policies, because of their times, allow no access now or only until a certain time. `until`: when that changes, in ms since 1970; infinite for never. */
export interface TimedSite {
  readonly site: string;
  readonly open: boolean;
  readonly until: number;
}

/**
 * Lists the sites that a user reaches, for routing in clients (`GET /me/access`, the PAC of the extension). The list includes
 * hosts that another company holds on shared egress: clients send these to the gateway, which explains the denial. It also includes
 * sites that are closed by time, and `times` says when they open.
 * @param now as in `decide()`
 * @returns stored site addresses, sorted; null for a user who is not in the index
 */
export function reachable(
  index: AccessIndex,
  userId: number,
  now: number,
): { allSites: boolean; sites: string[]; times: TimedSite[] } | null {
  const user = index.users.get(userId);
  if (user === undefined) return null;
  const sites: string[] = [];
  const times: TimedSite[] = [];
  const everywhere = user.policies.filter((policy) => policy.allSites);
  // Each policy is evaluated only once, because the search for the next change of windows is slow.
  // Bounded: the map exists for one call, and holds one entry for each policy of the user
  const paid = user.policies.filter((policy) => !policy.ended);
  const turns = new Map(paid.map((policy) => [policy, turnOf(user, policy, now)]));
  for (const [pattern, first] of user.company.patterns) {
    for (const { port, policies } of sitesFrom(first)) {
      const own = policies.filter((policy) => user.policies.includes(policy));
      if (own.length === 0) continue;
      const site = port === 0 ? pattern : `${pattern}:${port}`;
      sites.push(site);
      const opening = port === 0 || port === 80 || port === 443 ? [...own, ...everywhere] : own;
      const all = opening.flatMap((policy) => turns.get(policy) ?? []);
      if (all.length === 0) continue;
      const open = all.filter((turn) => turn.open).map(({ until }) => until);
      const until = open.length > 0 ? Math.max(...open) : Math.min(...all.map((turn) => turn.until));
      if (open.length === 0 || until !== Number.POSITIVE_INFINITY)
        times.push({ site, open: open.length > 0, until });
    }
  }
  return { allSites: everywhere.length > 0, sites: sites.toSorted(), times };
}

/** The maximum number of moments that `turnOf` checks. */
const MOST_STEPS = 30;

/** Whether the right that a policy gives a user is open, and when that changes; infinite for never. */
function turnOf(user: UserIndex, policy: PolicyIndex, now: number): { open: boolean; until: number } {
  const { open, until } = timesOf(user, policy, now);
  let at = until;
  for (let step = 0; step < MOST_STEPS && at !== Number.POSITIVE_INFINITY; step++) {
    const next = timesOf(user, policy, at);
    if (next.open !== open) return { open, until: at };
    at = next.until;
  }
  return { open, until: Number.POSITIVE_INFINITY };
}
