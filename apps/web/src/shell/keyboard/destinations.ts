import { useDebouncedValue } from '@mantine/hooks';
import { listCompanies } from '@propusk/contract/companies';
import { listPolicies } from '@propusk/contract/policies';
import { listSites } from '@propusk/contract/sites';
import { unicodeHost } from '@propusk/contract/unicode-host';
import { companyUsers, listUsers } from '@propusk/contract/users';
import * as t from '@propusk/phrases/console';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ListEndpoint, listOptions } from '../../api/list.ts';
import { rolesOf, useMe } from '../../common/me.tsx';
import { userLabel } from '../../common/names.ts';
import { paths } from '../../paths.ts';
import { pagesOf } from '../navigation.tsx';

/** One entry of the dialog: a page, an action or an entity. */
export interface Destination {
  group: keyof typeof t.keyboard.groups;
  label: string;
  to: string;
  /** The search of the list. */
  name?: string;
  /** Opens the list's "add" dialog. */
  add?: boolean;
}

/** The largest number of found entities of one kind. */
const FOUND = 5;
const PAUSE_MS = 150;

/** A searchable kind of entity, and the list that shows it. */
interface Source<Row> {
  group: Destination['group'];
  list: ListEndpoint<Row>;
  to: string;
  /** The label in the dialog, and the search text of the list. */
  label: (row: Row) => string;
  name: (row: Row) => string;
}
const source = <Row>(kind: Source<Row>) => kind;

const sites = (to: string) =>
  source({
    group: 'sites',
    list: listSites,
    to,
    label: ({ address }) => unicodeHost(address),
    name: ({ address }) => unicodeHost(address),
  });
const policies = (to: string) =>
  source({ group: 'policies', list: listPolicies, to, label: ({ name }) => name, name: ({ name }) => name });
const people = source({
  group: 'people',
  list: companyUsers,
  to: paths.creatorUsers,
  label: userLabel,
  name: ({ email }) => email,
});
const everybody = source({ ...people, list: listUsers, to: paths.adminUsers });
const companies = source({
  group: 'companies',
  list: listCompanies,
  to: paths.adminCompanies,
  label: ({ companyName }) => companyName,
  name: ({ companyName }) => companyName,
});

const adding = [
  { label: t.keyboard.add.site, to: paths.creatorSites },
  { label: t.keyboard.add.person, to: paths.creatorUsers },
  { label: t.keyboard.add.policy, to: paths.creatorPolicies },
  { label: t.keyboard.add.proxy, to: paths.creatorProxies },
];

/**
 * The destinations that match the typed text. Pages and actions match by label; the server searches the entities that the
 * user's roles may list.
 */
export function useDestinations(typed: string): { destinations: readonly Destination[]; searching: boolean } {
  const roles = rolesOf(useMe());
  const owner = roles.includes('CREATOR');
  const admin = roles.includes('ADMIN');
  const agent = roles.includes('USER') && !owner && !admin;
  const [name] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const found = [
    useFound(owner ? sites(paths.creatorSites) : sites(paths.userSites), name, owner || agent),
    useFound(people, name, owner),
    useFound(owner ? policies(paths.creatorPolicies) : policies(paths.userPolicies), name, owner || agent),
    useFound(companies, name, admin),
    useFound(everybody, name, admin && !owner),
  ];
  const fixed: Destination[] = [
    ...pagesOf(roles).map(({ to, label }) => ({ group: 'pages' as const, label, to })),
    ...(owner ? adding.map(({ label, to }) => ({ group: 'actions' as const, label, to, add: true })) : []),
  ];
  const wanted = typed.trim().toLowerCase();
  return {
    destinations: [
      ...fixed.filter(({ label }) => label.toLowerCase().includes(wanted)),
      ...found.flatMap(({ rows }) => rows),
    ],
    searching: typed.trim() !== name || found.some(({ pending }) => pending),
  };
}

function useFound<Row>(
  { group, list, to, label, name }: Source<Row>,
  typed: string,
  allowed: boolean,
): { rows: Destination[]; pending: boolean } {
  const enabled = allowed && typed !== '';
  const { data, isFetching } = useQuery({
    ...listOptions(list, { name: typed, page: 1, take: FOUND }),
    enabled,
    placeholderData: keepPreviousData,
  });
  const rows = enabled && data ? data.rows : [];
  return {
    rows: rows.map((row) => ({ group, label: label(row), to, name: name(row) })),
    pending: enabled && isFetching,
  };
}
