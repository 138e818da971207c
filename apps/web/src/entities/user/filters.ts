import * as t from '@propusk/phrases/console';

/** The filters of the lists of users: of every company, and of the owner's company. */
export const allUserFilters = {
  role: t.users.role,
  invited: { true: t.users.invited },
  suspended: { true: t.users.suspended },
};
export const userFilters = {
  ...allUserFilters,
  access: { none: t.users.noPolicies },
  visited: { never: t.users.neverVisited },
  ends: t.times.filters,
  extension: t.users.extensions,
};
