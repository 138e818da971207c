import { Text } from '@mantine/core';
import {
  createPolicy,
  deletePolicy,
  listPolicies,
  type Policy,
  policyIds,
  updatePolicy,
} from '@propusk/contract/policies';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { IconShieldCheck } from '@tabler/icons-react';
import { useMatch } from '@tanstack/react-router';
import { dialogLink, type Path } from '../../dialog-route.tsx';
import { usePermissions } from '../../entities/user/me.tsx';
import { proxyName } from '../../entities/user/names.ts';
import { AddButton } from '../../lists/add-button.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { editing, removing } from '../../lists/row-menu.tsx';
import { useRemove } from '../../lists/use-remove.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Counted } from '../../ui/tags.tsx';
import { TruncatedText } from '../../ui/truncated-text.tsx';

const columns: readonly Column<Policy>[] = [
  {
    key: 'name',
    title: t.policies.name,
    width: '16cqi',
    main: true,
    render: ({ name }) => (
      <Text span inherit lineClamp={2} title={name}>
        {name}
      </Text>
    ),
  },
  {
    key: 'description',
    title: t.policies.description,
    render: (policy) => <TruncatedText text={policy.description} />,
  },
  {
    key: 'proxy',
    title: t.policies.proxy,
    width: '12cqi',
    render: (policy) => policy.proxy.map(proxyName).join(', ') || t.common.none,
  },
  {
    key: 'links',
    title: t.policies.people,
    width: 'clamp(146px, 16cqi, 176px)',
    lines: 2,
    render: ({ users, sites }) => (
      <Counted
        lines={[
          { text: t.policies.peopleCount(users.length), names: users },
          {
            text: t.policies.sitesCount(sites.length),
            names: sites.map(({ id, name }) => ({ id, name: unicodeHost(name) })),
          },
        ]}
      />
    ),
  },
  ...dayColumns<Policy>(),
];

/** /dashboard/creator/politics, and /dashboard/user/politics, where a USER without other roles may only read. */
export function PoliciesPage() {
  const can = usePermissions();
  // The owner's and the agent's page have these dialogs.
  const page = useMatch({ strict: false }).fullPath;
  const at = (dialog: string) => `${page}/${dialog}` as Path;
  const remove = useRemove(deletePolicy, t.policies.remove, { of: 'policy' });
  const add = can(createPolicy) ? <AddButton to={at('new')} /> : undefined;
  return (
    <ListPage
      title={t.policies.title}
      help={t.policies.help}
      searchLabel={t.policies.search}
      list={listPolicies}
      bulk={add && { of: 'policy', ids: policyIds }}
      columns={columns}
      rowMenu={
        can(updatePolicy)
          ? {
              name: (policy) => policy.name,
              actions: (policy) => [
                editing(dialogLink(at('$id/edit'), policy.id)),
                removing(() => remove(policy.id, policy.name)),
              ],
            }
          : undefined
      }
      empty={{
        icon: <IconShieldCheck size={24} />,
        title: add ? t.policies.empty : t.policies.ownEmpty,
        hint: add ? t.policies.emptyHint : t.policies.ownEmptyHint,
        action: add,
      }}
      actions={add}
    />
  );
}
