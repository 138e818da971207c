import type { Visit } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import type { Column } from '../../ui/data-table.tsx';
import { momentFormatIn } from '../../ui/day.tsx';
import { Tag, type Tone } from '../../ui/tags.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';
import { addressOf, formatBytes, formatDuration, hostOf, personOf, reasonLabel } from './visit-text.ts';

const tones: Record<Visit['state'], Tone> = { open: 'accent', closed: 'neutral', interrupted: 'warning' };

/** The outcome of a visit as a tag, with the reason of a refusal or of an end by the gateway. */
export function VisitResult({ visit: { kind, state, reason, count, visits } }: { visit: Visit }) {
  const refused = kind === 'refusal';
  if (kind === 'loss') {
    return (
      <TwoLines
        first={<Tag tone="warning">{t.visits.lost(count)}</Tag>}
        second={t.visits.losses[reason] ?? reason}
      />
    );
  }
  return (
    <TwoLines
      first={
        <Tag tone={refused ? 'bad' : tones[state]}>{refused ? t.visits.refused : t.visits.states[state]}</Tag>
      }
      second={[
        reason && reasonLabel(reason),
        refused && count > 1 && t.visits.times(count),
        visits > 1 && t.visits.visits(visits),
      ]
        .filter(Boolean)
        .join(', ')}
    />
  );
}

/** The column of a visit's start. @param timeZone by default the browser's */
export function whenIn(timeZone?: string): Column<Visit> {
  const format = momentFormatIn(timeZone);
  return {
    key: 'when',
    title: t.visits.when,
    width: 'clamp(140px, 15cqi, 168px)',
    render: ({ startedAt, ms }) => (
      <TwoLines
        first={<time dateTime={startedAt}>{format.format(new Date(startedAt))}</time>}
        second={ms >= 1000 && formatDuration(ms)}
      />
    ),
  };
}

/** The columns of the lists of visits. */
export const visitColumns = {
  site: {
    key: 'site',
    title: t.visits.site,
    main: true,
    lines: 2,
    render: (visit) => hostOf(visit),
  },
  person: {
    key: 'person',
    title: t.visits.person,
    render: personOf,
  },
  when: whenIn(),
  where: {
    key: 'where',
    title: t.visits.where,
    width: 'min(160px, 15cqi)',
    render: addressOf,
  },
  result: {
    key: 'result',
    title: t.visits.result,
    width: 'min(200px, 22cqi)',
    render: (visit) => <VisitResult visit={visit} />,
  },
  traffic: {
    key: 'traffic',
    title: t.visits.traffic,
    width: 'clamp(88px, 10cqi, 104px)',
    render: ({ kind, up, down }) => (kind === 'refusal' || kind === 'loss' ? '' : formatBytes(up + down)),
  },
} satisfies Record<string, Column<Visit>>;
