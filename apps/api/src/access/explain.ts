import { type DenyReason, decide, patternsCovering } from '@propusk/access/decide';
import { type CanonicalHost, canonicalHost } from '@propusk/access/host';
import {
  type AccessIndex,
  addClaim,
  type CompanyIndex,
  emptyIndex,
  putCompany,
  type SiteIndex,
  sitesFrom,
} from '@propusk/access/snapshot';
import type { CompanySnapshot, RightTimes } from '@propusk/contract/feed';
import type { whyPhrases } from '@propusk/phrases/access';
import type { ForeignClaim, UserReason } from './store.ts';

/** A user, a host and a port to decide on. `host` is null when it is not a valid site name. */
interface Question {
  readonly userId: number;
  readonly host: CanonicalHost | null;
  readonly port: number;
}

/** One condition of a user's access to a site, and whether it holds. */
interface Link {
  readonly code: keyof typeof whyPhrases.links;
  readonly state: 'held' | 'missing' | 'unchecked';
}

/** The decision on a request, with the evaluated conditions of access. */
export type Why = { readonly links: readonly Link[] } & (
  | {
      readonly allow: true;
      readonly policyId: number;
      /** The proxy of the request. `host` is null for the gateway itself. */
      readonly proxy: { readonly id: number; readonly host: string | null } | null;
    }
  | { readonly allow: false; readonly reason: DenyReason | UserReason }
);

/** Builds the index for `decide()` from a company's snapshot and other companies' claims. */
export function indexOf(snapshot: CompanySnapshot, claims: readonly ForeignClaim[] = []): AccessIndex {
  const index = emptyIndex();
  putCompany(index, snapshot);
  for (const { pattern, ...claim } of claims) addClaim(index, pattern, claim);
  return index;
}

/**
 * Explains a decision of `decide()`: lists the conditions of access and whether each condition holds.
 * @param index the result of `indexOf` for the company's snapshot and other companies' claims to the host
 * @param now ms since 1970, by the clock of the database
 */
export function explain(index: AccessIndex, snapshot: CompanySnapshot, question: Question, now: number): Why {
  const { userId, host, port } = question;
  const decision =
    host === null ? ({ allow: false, reason: 'bad_host' } as const) : decide(index, userId, host, port, now);
  const links = linksOf(index, decision.allow ? null : decision.reason, question);
  if (!decision.allow) return { allow: false, reason: decision.reason, links };
  const { policyId } = decision;
  const policies = [...snapshot.policies, ...(snapshot.timed?.policies ?? [])];
  const proxyId = policies.find(({ id }) => id === policyId)?.proxyId;
  const proxy = snapshot.proxies.find(({ id }) => id === proxyId);
  const shown = proxy === undefined ? null : { id: proxy.id, host: proxy.direct ? null : proxy.host };
  return { allow: true, policyId, proxy: shown, links };
}

/**
 * The host and port of a site's address. The port is 443 if the address has none. For the pattern `*.example.ru`, the host is
 * `example.ru`.
 */
export function hostOf(address: string): { host: CanonicalHost | null; port: number } {
  const [pattern = '', port = '443'] = address.split(':');
  return { host: canonicalHost(pattern.replace(/^\*\./, '')), port: Number(port) };
}

/** A moment in ms since 1970 as a text; null for an infinite one. */
export const isoOrNull = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : null);

/** The maximum number of moments that `changeOf` checks. */
const MOST_STEPS = 30;

/**
 * Finds when the times of the user's policies change a decision.
 * @returns the time when an allowed request will be refused, or when a refused one will be allowed; null if no such time is known
 */
export function changeOf(index: AccessIndex, { userId, host, port }: Question, now: number): string | null {
  if (host === null) return null;
  const { allow, until } = decide(index, userId, host, port, now);
  let at = until;
  for (let step = 0; step < MOST_STEPS && Number.isFinite(at); step++) {
    const next = decide(index, userId, host, port, at);
    if (next.allow !== allow) return isoOrNull(at);
    at = next.until;
  }
  return null;
}

/** The maximum number of policies that `findMends` tries, because each try builds an index. */
const MOST_MENDS = 5;

/**
 * Finds policies to which a user can be added to get access to a host. Tests each policy with `decide()`.
 * @returns ids of policies, at most five
 */
export function findMends(
  index: AccessIndex,
  { snapshot, claims }: { snapshot: CompanySnapshot; claims: readonly ForeignClaim[] },
  { userId, host, port }: Question,
  now: number,
): readonly number[] {
  const user = index.users.get(userId);
  if (user === undefined || host === null) return [];
  const covering = new Set(
    sitesOf(user.company, host).flatMap(({ policies }) => policies.map(({ policyId }) => policyId)),
  );
  const { timed } = snapshot;
  const members = new Set(timed?.members.flatMap((each) => (each.userId === userId ? each.policyId : [])));
  const all: readonly (CompanySnapshot['policies'][number] & { times?: RightTimes })[] = [
    ...snapshot.policies,
    ...(timed?.policies ?? []),
  ];
  const candidates = all.filter(
    ({ id, users }) => covering.has(id) && !users.includes(userId) && !members.has(id),
  );
  const users = snapshot.users.filter(({ id }) => id === userId);
  return candidates
    .slice(0, MOST_MENDS)
    .filter(({ times, ...policy }) => {
      const mended = { ...policy, users: [userId] };
      const rights =
        times === undefined
          ? { policies: [mended], timed: undefined }
          : { policies: [], timed: { policies: [{ ...mended, times }], members: [] } };
      const changed = indexOf({ ...snapshot, users, ...rights }, claims);
      return decide(changed, userId, host, port, now).allow;
    })
    .map(({ id }) => id);
}

/** The refusal reasons that depend on time. */
const timeReasons: ReadonlySet<DenyReason> = new Set([
  'clock_unknown',
  'not_yet',
  'outside_hours',
  'right_ended',
]);

/** The conditions of access, from user to site. The first false condition causes a denial and ends the evaluation. */
function linksOf(
  index: AccessIndex,
  reason: DenyReason | null,
  { userId, host, port }: Question,
): readonly Link[] {
  const user = index.users.get(userId);
  const web = port === 80 || port === 443;
  const covering = user === undefined || host === null ? [] : sitesOf(user.company, host);
  const opened = (user?.policies ?? []).filter(
    (policy) => policy.allSites || covering.some(({ policies }) => policies.includes(policy)),
  );
  const portOpen =
    covering.some((site) => site.port === port || (site.port === 0 && web)) ||
    (web && opened.some(({ allSites }) => allSites));
  const links = [
    { code: 'user_of_company', there: user !== undefined },
    { code: 'user_of_policy', there: (user?.policies.length ?? 0) > 0 },
    { code: 'policy_with_site', there: opened.length > 0 },
    { code: 'open_port', there: portOpen },
    ...(reason !== null && timeReasons.has(reason) ? [{ code: 'policy_open', there: false } as const] : []),
    {
      code: 'proxy_allows',
      there:
        reason === null ||
        (portOpen && opened.length > 0 && reason !== 'host_taken' && reason !== 'plan_ended'),
    },
  ] as const;
  const first = links.findIndex(({ there }) => !there);
  return links.map(({ code }, at) => ({
    code,
    state: first === -1 || at < first ? 'held' : at === first ? 'missing' : 'unchecked',
  }));
}

/** The company's sites that cover a host, at any port; port 0 means 80 and 443. */
function sitesOf({ patterns }: CompanyIndex, host: CanonicalHost): readonly SiteIndex[] {
  return patternsCovering(host).flatMap((pattern) => [...sitesFrom(patterns.get(pattern))]);
}
