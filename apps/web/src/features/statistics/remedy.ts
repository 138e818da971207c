import type { Statistics } from '@propusk/contract/records';

/** The fields of a refusal that decide its remedy. */
export type Refusal = Pick<Statistics['refused'][number], 'reason' | 'user' | 'host' | 'site'>;

/** What an owner can do about a refusal: add the host as a site, or check the user's access to the site; null if neither. */
export function remedyOf({ reason, user, host, site }: Refusal): 'add' | 'check' | null {
  if (site) return user?.name ? 'check' : null;
  // A `no_policy` refusal without a site: the site was deleted after the refusal.
  const lacksSite = reason === 'site_unknown' || reason === 'no_policy';
  return lacksSite && host !== '' && host !== '*' ? 'add' : null;
}
