import { Modal } from '@mantine/core';
import type { Visit } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import type { ReactNode } from 'react';
import { VisitResult } from '../../entities/visit/visit-columns.tsx';
import { addressOf, formatBytes, formatDuration, hostOf, personOf } from '../../entities/visit/visit-text.ts';
import { momentFormatIn } from '../../ui/day.tsx';
import { DefinitionCard } from '../../ui/definition-card.tsx';
import { useReturnFocus } from '../../ui/use-return-focus.ts';

const terms = t.statistics.detailTerms;

/** All fields of a visit or refusal. @param props.remedy a button beside the result */
export function VisitDialog(props: { visit: Visit; zone: string; remedy: ReactNode; onClose: () => void }) {
  const { visit, zone, onClose } = props;
  useReturnFocus(true);
  const { kind, policy, proxy } = visit;
  const isOne = kind !== 'refusal' && kind !== 'loss' && visit.host !== '*';
  const rows: [term: string, value: ReactNode, tools?: ReactNode][] = [
    [t.visits.site, hostOf(visit)],
    [terms.port, visit.port],
    [t.visits.person, personOf(visit)],
    [t.visits.where, addressOf(visit)],
    [t.visits.when, momentFormatIn(zone).format(new Date(visit.startedAt))],
    [terms.duration, formatDuration(visit.ms)],
    [terms.client, visit.client ?? t.common.none],
    [terms.kind, t.visits.kinds[kind]],
    [t.visits.result, <VisitResult key="result" visit={visit} />, props.remedy],
    [terms.policy, policy?.name ?? t.common.none],
    [terms.proxy, proxy?.name ?? (isOne ? t.statistics.gateway : t.common.none)],
    [terms.count, visit.count],
    ...(visit.visits > 1 ? [[t.statistics.figures.visits, visit.visits] as [string, number]] : []),
    [terms.up, formatBytes(visit.up)],
    [terms.down, formatBytes(visit.down)],
    [terms.id, visit.id],
  ];
  return (
    <Modal opened onClose={onClose} title={t.statistics.detail} size={560} returnFocus={false}>
      <DefinitionCard rows={rows.map(([term, value, tools]) => ({ term, value, tools }))} />
    </Modal>
  );
}
