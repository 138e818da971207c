import { Button, Group } from '@mantine/core';
import * as t from '@propusk/phrases/console';
import { IconFilter, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { MenuButton } from '../ui/menu-button.tsx';
import type { FilterKey, ListSearch } from './list-search.ts';

/** The filters of a list: the labels of their values, by search parameter and value. The list's call has the same parameters. */
export type Filters = { readonly [Key in FilterKey]?: Readonly<Record<string, string>> };

/** All values of the filters, with those that are active in the URL. */
export const valuesOf = (filters: Filters, search: ListSearch) =>
  (Object.keys(filters) as FilterKey[]).flatMap((key) =>
    Object.entries(filters[key] ?? {}).map(([value, label]) => {
      return { key, value, label, active: String(search[key]) === value };
    }),
  );

/**
 * The filter by policy. It loads the names of the policies when `isWanted` becomes true. Until then its only value is the active
 * policy, without its name.
 */
export function usePolicyFilter(active: ListSearch['policy'], isWanted: boolean): Filters {
  const { data } = useQuery({
    queryKey: ['filter by policy'],
    queryFn: async ({ signal }) =>
      (await call((await import('@propusk/contract/policies')).listPolicies, {}, signal)).rows,
    enabled: isWanted || active !== undefined,
    meta: { toast: true },
  });
  const known = data?.map(({ id, name }) => [id, t.list.ofPolicy(name)]);
  return {
    policy: Object.fromEntries(known ?? (active === undefined ? [] : [[active, t.list.filterBy.policy]])),
  };
}

interface Shown {
  values: ReturnType<typeof valuesOf>;
  go: (change: ListSearch) => void;
}

/** The button that opens the menu of filters. */
export function FilterButton({ values, go, onOpen }: Shown & { onOpen: () => void }) {
  const lines = values.map(({ key, value, label, active }, at) => {
    const heading = values[at - 1]?.key === key ? undefined : t.list.filterBy[key];
    return { label, icon: null, checked: active, heading, run: () => go({ [key]: value }) };
  });
  const icon = [<IconFilter key="icon" size={16} aria-hidden />, <span key="text">{t.list.filter}</span>];
  return <MenuButton label={t.list.filter} icon={icon} lines={lines} onOpen={onOpen} />;
}

/** The active filters as buttons that remove them. */
export function FilterChips({ values, go, before }: Shown & { before: ReactNode }) {
  return (
    <Group gap="xs" mb="md">
      {before}
      {values.map(({ key, label }) => (
        <Button
          key={key}
          variant="light"
          size="compact-sm"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={t.list.unfilter(label)}
          onClick={() => go({ [key]: '' })}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
