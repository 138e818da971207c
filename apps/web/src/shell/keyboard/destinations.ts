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
import { matches } from '../../common/matches.ts';
import { rolesOf, useMe } from '../../common/me.tsx';
import { userLabel } from '../../common/names.ts';
import { paths } from '../../paths.ts';
import { pagesOf } from '../navigation.tsx';

/** One entry of the dialog: a page, an action or an entity. */
export interface Destination {
  group: keyof typeof t.keyboard.groups;
  label: string;
  to: string;
  /** The search text of the list page. */
  name?: string;
  /** The fragment of the list page: `add` opens its "add" dialog, an id opens that row. */
  hash?: string;
}

/** The largest number of found entities of one kind. */
const FOUND = 5;
const PAUSE_MS = 150;

/**
 * A searchable kind of entity, and the list that shows it.
 * @param label in the dialog
 * @param name the search text of the list
 */
function source<Row extends { id: number }>(
  group: Destination['group'],
  list: ListEndpoint<Row>,
  to: string,
  label: (row: Row) => string,
  name = label,
) {
  const found = (row: Row): Destination => ({
    group,
    label: label(row),
    to,
    name: name(row),
    hash: String(row.id),
  });
  return (typed: string) => ({
    ...listOptions(list, { name: typed, page: 1, take: FOUND }),
    enabled: typed !== '',
    placeholderData: keepPreviousData,
    select: ({ rows }: List<Row>) => rows.map(found),
  });
}

const sites = (to: string) => source('sites', listSites, to, ({ address }) => unicodeHost(address));
const policies = (to: string) => source('policies', listPolicies, to, ({ name }) => name);
const people = source('people', companyUsers, paths.creatorUsers, userLabel, ({ email }) => email);
const everybody = source('people', listUsers, paths.adminUsers, userLabel, ({ email }) => email);
const companies = source('companies', listCompanies, paths.adminCompanies, ({ companyName }) => companyName);

const ofOwner = [sites(paths.creatorSites), people, policies(paths.creatorPolicies)];
const ofAgent = [sites(paths.userSites), policies(paths.userPolicies)];

/** The kinds of entities that a user with these roles may search. */
function sourcesOf(roles: readonly Role[]) {
  const admin = roles.includes('ADMIN');
  if (roles.includes('CREATOR')) return admin ? [...ofOwner, companies] : ofOwner;
  return admin ? [companies, everybody] : ofAgent;
}

const adding: readonly Destination[] = [
  { label: t.keyboard.add.site, to: paths.creatorSites },
  { label: t.keyboard.add.person, to: paths.creatorUsers },
  { label: t.keyboard.add.policy, to: paths.creatorPolicies },
  { label: t.keyboard.add.proxy, to: paths.creatorProxies },
].map((one) => ({ ...one, group: 'actions', hash: 'add' }));

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
    ...pagesOf(me).map((page): Destination => ({ ...page, group: 'pages' })),
    ...(roles.includes('CREATOR') ? adding : []),
  ];
  return {
    destinations: [
      ...fixed.filter(({ label }) => matches(label, typed)),
      ...(name === '' ? [] : found.flatMap(({ data = [] }) => data)),
    ],
    searching: typed.trim() !== name || found.some(({ isFetching }) => isFetching),
  };
}
