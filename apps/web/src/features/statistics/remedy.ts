import type { Statistics } from '@propusk/contract/records';

/** The fields of a refusal that decide its remedy. */
export type Refusal = Pick<Statistics['refused'][number], 'reason' | 'user' | 'host' | 'site'>;

/** What an owner can do about a refusal: add the host as a site, or check the user's access to the site. Null for nothing. */
export function remedyOf({ reason, user, host, site }: Refusal): 'add' | 'check' | null {
  if (site) return user?.name ? 'check' : null;
  // The site of a `no_policy` refusal was deleted later.
  const lacksSite = reason === 'site_unknown' || reason === 'no_policy';
  return lacksSite && host !== '' && host !== '*' ? 'add' : null;
}
