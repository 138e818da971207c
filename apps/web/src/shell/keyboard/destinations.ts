import { useDebouncedValue } from '@mantine/hooks';
import { listCompanies } from '@propusk/contract/companies';
import { listPolicies } from '@propusk/contract/policies';
import type { Role } from '@propusk/contract/roles';
import { listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { companyUsers, listUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { type List, type ListEndpoint, listOptions } from '../../api/list.ts';
import type { Path } from '../../dialog-route.tsx';
import { siteFilters } from '../../entities/site/filters.ts';
import { userFilters } from '../../entities/user/filters.ts';
import { rolesOf, useMe } from '../../entities/user/me.tsx';
import { userLabel } from '../../entities/user/names.ts';
import { matches } from '../../forms/matches.ts';
import { type Filters, valuesOf } from '../../lists/filters.tsx';
import type { ListSearch } from '../../lists/list-search.ts';
import { pagesOf } from '../navigation.tsx';

/** One entry of the search dialog: a page, an action or an entity. */
export interface Destination {
  group: keyof typeof t.keyboard.groups;
  label: string;
  to: Path;
  /** The search and the filter of the list page. */
  search?: ListSearch;
  /** The id in the path of the entity's page or dialog. */
  id?: string;
}

/** The largest number of found entities of one kind. */
const FOUND = 5;
const PAUSE_MS = 150;

/**
 * A kind of entity that the dialog can search.
 * @param to the path of an entity's page or dialog; a path without an id is that of the list that contains the entity
 * @param label the label of an entity in the dialog
 */
function source<Row extends { id: number }>(
  group: Destination['group'],
  list: ListEndpoint<Row>,
  to: Path,
  label: (row: Row) => string,
) {
  const found = (row: Row): Destination => ({
    group,
    label: label(row),
    to,
    ...(to.includes('$id') ? { id: String(row.id) } : { search: { name: label(row) } }),
  });
  return (typed: string) => ({
    ...listOptions(list, { name: typed, page: 1, take: FOUND }),
    enabled: typed !== '',
    placeholderData: keepPreviousData,
    select: ({ rows }: List<Row>) => rows.map(found),
  });
}

const sites = (to: Path) => source('sites', listSites, to, ({ address }) => unicodeHost(address));
const policies = (to: Path) => source('policies', listPolicies, to, ({ name }) => name);
const people = source('people', companyUsers, '/dashboard/creator/users/$id/edit', userLabel);
const everybody = source('people', listUsers, '/dashboard/admin/users/$id/edit', userLabel);
const companies = source(
  'companies',
  listCompanies,
  '/dashboard/admin/companies/$id',
  ({ companyName }) => companyName,
);

const ofOwner = [
  sites('/dashboard/creator/domains/$id/edit'),
  people,
  policies('/dashboard/creator/politics/$id/edit'),
];
const ofAgent = [sites('/dashboard/user/domains'), policies('/dashboard/user/politics')];

/** The kinds of entities that a user with these roles may search. */
function sourcesOf(roles: readonly Role[]) {
  const admin = roles.includes('ADMIN');
  if (roles.includes('CREATOR')) return admin ? [...ofOwner, companies] : ofOwner;
  return admin ? [companies, everybody] : ofAgent;
}

const adding = (
  [
    [t.keyboard.add.site, '/dashboard/creator/domains/new'],
    [t.keyboard.add.person, '/dashboard/creator/users/new'],
    [t.keyboard.add.policy, '/dashboard/creator/politics/new'],
    [t.keyboard.add.proxy, '/dashboard/creator/proxies/new'],
  ] as const
).map(([label, to]): Destination => ({ group: 'actions', label, to }));

function filtersOf(to: Path, title: string, filters: Filters): Destination[] {
  return valuesOf(filters, {}).map(({ key, value, label }) => {
    return { group: 'filters', label: `${title}: ${label}`, to, search: { [key]: value } };
  });
}
const filtered = [
  ...filtersOf('/dashboard/creator/domains', t.sites.title, siteFilters),
  ...filtersOf('/dashboard/creator/users', t.users.title, userFilters),
];

/**
 * The destinations that match the typed text. Pages and actions match by label; the server searches the entities that the
 * user's roles may list.
 */
export function useDestinations(typed: string): { destinations: readonly Destination[]; searching: boolean } {
  const me = useMe();
  const roles = rolesOf(me);
  const [name] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const found = useQueries({ queries: sourcesOf(roles).map((query) => query(name)) });
  const fixed = [
    ...pagesOf(me).map(({ to, label }): Destination => ({ to, label, group: 'pages' })),
    ...(roles.includes('CREATOR') ? adding : []),
    ...(roles.includes('CREATOR') && typed !== '' ? filtered : []),
  ];
  return {
    destinations: [
      ...fixed.filter(({ label }) => matches(label, typed)),
      ...(name === '' ? [] : found.flatMap(({ data = [] }) => data)),
    ],
    searching: typed.trim() !== name || found.some(({ isFetching }) => isFetching),
  };
}
