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
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { dialogLink, type Path } from '../../dialog-route.tsx';
import { policyFilters } from '../../entities/policy/filters.ts';
import { stateOf } from '../../entities/policy/moments.ts';
import { usePermissions } from '../../entities/user/me.tsx';
import { proxyName } from '../../entities/user/names.ts';
import { AddButton } from '../../lists/add-button.tsx';
import { dayColumns } from '../../lists/day-columns.tsx';
import { ExtendDialog, extending } from '../../lists/extending.tsx';
import { ListPage } from '../../lists/list-page.tsx';
import { editing, removing } from '../../lists/row-menu.tsx';
import { useRemove } from '../../lists/use-remove.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Counted, Tag } from '../../ui/tags.tsx';
import { TruncatedText } from '../../ui/truncated-text.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';

const columns: readonly Column<Policy>[] = [
  {
    key: 'name',
    title: t.policies.name,
    width: '16cqi',
    main: true,
    render: (policy) => (
      <TwoLines
        first={
          <Text span inherit lineClamp={2} title={policy.name}>
            {policy.name}
          </Text>
        }
        second={timeTag(policy)}
      />
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

/** Says when a policy with times opens, closes or ends. */
function timeTag(policy: Policy) {
  const { short, tone } = stateOf(policy);
  return short === '' ? null : <Tag tone={tone}>{short}</Tag>;
}

/** /dashboard/creator/politics, and /dashboard/user/politics, where a USER without other roles may only read. */
export function PoliciesPage() {
  const can = usePermissions();
  // The owner's and the agent's page have these dialogs.
  const page = useMatch({ strict: false }).fullPath;
  const at = (dialog: string) => `${page}/${dialog}` as Path;
  const remove = useRemove(deletePolicy, t.policies.remove, { of: 'policy' });
  const [extended, setExtended] = useState<Policy | null>(null);
  const update = useCall(updatePolicy);
  const add = can(createPolicy) ? <AddButton to={at('new')} /> : undefined;
  return (
    <>
      <ListPage
        title={t.policies.title}
        help={t.policies.help}
        searchLabel={t.policies.search}
        list={listPolicies}
        filters={policyFilters}
        bulk={add && { of: 'policy', ids: policyIds }}
        columns={columns}
        rowMenu={
          can(updatePolicy)
            ? {
                name: (policy) => policy.name,
                actions: (policy) => [
                  editing(dialogLink(at('$id/edit'), policy.id)),
                  ...extending(policy.validUntil !== null, () => setExtended(policy)),
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
      {extended?.validUntil && (
        <ExtendDialog
          name={extended.name}
          ends={[
            { id: extended.id, name: extended.name, until: extended.validUntil, zone: extended.timeZone },
          ]}
          save={([end], signal) =>
            update.mutateAsync({
              params: { id: extended.id },
              body: { validUntil: end?.until },
              version: extended.version,
              signal,
            })
          }
          onClose={() => setExtended(null)}
        />
      )}
    </>
  );
}
