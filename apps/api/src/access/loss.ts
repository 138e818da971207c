import { setImmediate } from 'node:timers/promises';
import { decide } from '@propusk/access/decide';
import { type CanonicalHost, canonicalHost } from '@propusk/access/host';
import type { AccessIndex } from '@propusk/access/snapshot';
import type { AccessLoss } from '@propusk/contract/access-loss';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { indexOf } from './explain.ts';
import type { ForeignClaim } from './store.ts';

/** The label that replaces the `*` of a wildcard address, so that no other site of the company covers the sample host. */
const UNLISTED = 'no-site-has-this-name';

/**
 * Returns the host of a site. For a wildcard address, returns a sample host that only the wildcard covers.
 * Returns null when the address contains no valid host.
 */
export function sampleHost(address: string): CanonicalHost | null {
  const [pattern = ''] = address.split(':');
  return canonicalHost(pattern.replace(/^\*\./, `${UNLISTED}.`));
}

/**
 * Counts the users who lose access between two snapshots of a company. A user loses a site when `decide()`
 * allows a request to the site with `before` and denies it with `after`. All users with the same policies get
 * one decision. A right with times counts as open, because it is lost at its other times too. The function yields to the event loop after each such group of users.
 * @param claims other companies' claims to the sites' hosts
 */
export async function findLoss(
  change: { before: CompanySnapshot; after: CompanySnapshot },
  claims: readonly ForeignClaim[],
): Promise<AccessLoss> {
  const [before, after] = [withoutTimes(change.before), withoutTimes(change.after)];
  const [old, current] = [indexOf(before, claims), indexOf(after, claims)];
  const sites = before.sites.flatMap(({ id, address }) => {
    const host = sampleHost(address);
    // A site without a port covers 80 and 443. Both ports get the same decision, so only 443 is checked.
    return host === null ? [] : { id, host, port: Number(address.split(':')[1] ?? 443) };
  });
  const lostSites = new Set<number>();
  let [users, allSites] = [0, 0];
  for (const group of groupUsers(before, after)) {
    const [user = 0] = group;
    const lost = sites.filter(
      ({ host, port }) =>
        decide(old, user, host, port, 0).allow && !decide(current, user, host, port, 0).allow,
    );
    for (const { id } of lost) lostSites.add(id);
    if (lost.length > 0) users += group.length;
    if (hasAllSites(old, user) && !hasAllSites(current, user)) allSites += group.length;
    await setImmediate();
  }
  return { users, sites: lostSites.size, allSites };
}

/** Returns the snapshot without time limits: every right counts as open at all times. */
function withoutTimes({ timed, ...snapshot }: CompanySnapshot): CompanySnapshot {
  if (timed === undefined) return snapshot;
  const all = [...snapshot.policies, ...timed.policies.map((policy) => ({ ...policy, times: undefined }))];
  const ending = Map.groupBy(timed.members, ({ policyId }) => policyId);
  const policies = all.map((policy) => {
    const members = ending.get(policy.id)?.map(({ userId }) => userId) ?? [];
    return { ...policy, users: [...policy.users, ...members] };
  });
  return { ...snapshot, policies };
}

const hasAllSites = ({ users }: AccessIndex, userId: number): boolean =>
  users.get(userId)?.policies.some((policy) => policy.allSites) ?? false;

/** Groups the ids of `before.users`. The users of a group have equal policies before the change and equal policies after it. */
function groupUsers(before: CompanySnapshot, after: CompanySnapshot): Iterable<readonly number[]> {
  const [was, is] = [policiesByUser(before), policiesByUser(after)];
  const present = new Set(after.users.map(({ id }) => id));
  const ids = before.users.map(({ id }) => id);
  return Map.groupBy(ids, (id) =>
    JSON.stringify([was.get(id), present.has(id) && (is.get(id) ?? [])]),
  ).values();
}

function policiesByUser({ policies }: CompanySnapshot): ReadonlyMap<number, readonly number[]> {
  const lists = new Map<number, number[]>();
  for (const { id, users } of policies)
    for (const user of users) {
      const list = lists.get(user);
      if (list === undefined) lists.set(user, [id]);
      else list.push(id);
    }
  return lists;
}
