import { NativeSelect } from '@mantine/core';
import { AuditAction, type AuditRow, listAudit } from '@propusk/contract/audit';
import * as t from '@propusk/phrases/console';
import { IconHistory } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ListPage } from '../../lists/list-page.tsx';
import { type ListSearch, parseListSearch } from '../../lists/list-search.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Ago } from './ago.tsx';
import { EventCell } from './event-cell.tsx';
import { PeriodFields } from './period-fields.tsx';

const what: Column<AuditRow> = {
  key: 'what',
  title: t.audit.what,
  main: true,
  lines: 2,
  render: (row) => <EventCell row={row} />,
};
const when: Column<AuditRow> = {
  key: 'when',
  title: t.audit.when,
  width: 'clamp(116px, 16cqi, 148px)',
  short: true,
  render: ({ at }) => <Ago iso={at} />,
};
const where: Column<AuditRow> = {
  key: 'where',
  title: t.audit.where,
  width: 'clamp(124px, 17cqi, 148px)',
  render: ({ address }) => address,
};
const company: Column<AuditRow> = {
  key: 'company',
  title: t.audit.company,
  width: 'min(180px, 19cqi)',
  render: (row) => row.company?.name ?? t.audit.platform,
};
const actions = [
  { value: '', label: t.audit.everything },
  ...AuditAction.options
    .map((value) => ({ value, label: t.audit.actions[value] ?? t.audit.events[value]('user', '') }))
    .sort((a, b) => a.label.localeCompare(b.label, 'ru')),
];
const ofCompany = [when, what, where];
const ofPlatform = [when, what, company, where];

/** /dashboard/creator/audit: the audit events of the owner's company. */
export function AuditPage() {
  return <Audit of="company" columns={ofCompany} searchLabel={t.audit.search} />;
}

/** /dashboard/admin/audit: the audit events of every company and of the platform. */
export function PlatformAuditPage() {
  return <Audit of="platform" columns={ofPlatform} searchLabel={t.audit.searchEverywhere} />;
}

function Audit(props: {
  of: 'company' | 'platform';
  columns: readonly Column<AuditRow>[];
  searchLabel: string;
}) {
  const action = AuditAction.safeParse(parseListSearch(useSearch({ strict: false })).choice).data ?? '';
  const navigate = useNavigate();
  const choose = (choice: string) =>
    void navigate({
      to: '.',
      search: (old: ListSearch) => parseListSearch({ ...old, choice, page: 1 }),
      replace: true,
    });
  return (
    <ListPage
      title={t.audit.title}
      help={t.audit.help}
      searchLabel={props.searchLabel}
      list={listAudit}
      filter={{ of: props.of, action }}
      period={(period, go) => <PeriodFields period={period} onPeriod={go} />}
      above={
        <NativeSelect
          maw={288}
          mb="md"
          aria-label={t.audit.action}
          data={actions}
          value={action}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      }
      columns={props.columns}
      empty={{ icon: <IconHistory size={24} />, title: t.audit.empty, hint: t.audit.emptyHint }}
    />
  );
}
