import * as t from '@propusk/phrases/console';

/** The filters of the list of policies. */
export const policyFilters = { ends: t.times.filters };
