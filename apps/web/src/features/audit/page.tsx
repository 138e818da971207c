import { AuditAction, type AuditRow, listAudit } from '@propusk/contract/audit';
import * as t from '@propusk/phrases/console';
import { IconHistory } from '@tabler/icons-react';
import { ListPage } from '../../lists/list-page.tsx';
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
const actions = AuditAction.options
  .map((value) => [value, t.audit.actions[value] ?? t.audit.events[value]('user', '')] as const)
  .toSorted(([, a], [, b]) => a.localeCompare(b, 'ru'));
const filters = { action: Object.fromEntries(actions) };
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
  return (
    <ListPage
      title={t.audit.title}
      help={t.audit.help}
      searchLabel={props.searchLabel}
      list={listAudit}
      filter={{ of: props.of }}
      filters={filters}
      period={(period, go) => <PeriodFields period={period} onPeriod={go} />}
      columns={props.columns}
      empty={{ icon: <IconHistory size={24} />, title: t.audit.empty, hint: t.audit.emptyHint }}
    />
  );
}
