import type { Policy } from '@propusk/contract/policies';

type Timed = Pick<Policy, 'allSites' | 'sites' | 'users' | 'open' | 'changesAt'>;

/** A value that sorts after any time. All times have the same format, so they can be compared as strings. */
const NEVER = '9999';

/**
 * Whether the policies of a user open a site now, and when that changes (null for never). Where several policies open the site,
 * the latest end applies. Undefined if the user is in no policy of the site.
 */
export function timesOf(
  site: number,
  policies: readonly Timed[],
  user: number,
  now = new Date().toISOString(),
): { open: boolean; until: string | null } | undefined {
  const held = policies.flatMap(({ allSites, sites, users, open, changesAt }) => {
    const member = users.find(({ id }) => id === user);
    if (!member || !(allSites || sites.some(({ id }) => id === site))) return [];
    const end = member.until ?? NEVER;
    const next = changesAt ?? NEVER;
    if (open && end > now) return [{ open, at: next < end ? next : end }];
    return [{ open: false, at: next < end ? next : NEVER }];
  });
  const sorted = held.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const counts = sorted.findLast(({ open }) => open) ?? sorted[0];
  return counts && { open: counts.open, until: counts.at === NEVER ? null : counts.at };
}
