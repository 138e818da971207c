import * as t from '@propusk/phrases/console';

/** The filters of the list of sites. */
export const siteFilters = {
  protection: { ...t.sites.verdicts, unchecked: t.sites.unchecked, drifted: t.sites.drifted },
  access: { none: t.sites.noPolicies },
  visited: { never: t.sites.neverVisited },
};
