import type { Tariff } from '@propusk/contract/tariff';
import { unicodeHost } from '@propusk/contract/unicode-host';
import * as t from '@propusk/phrases/console';
import { formatDay } from '../../ui/day.tsx';
import { DefinitionCard } from '../../ui/definition-card.tsx';

/** The day on which the paid proxies stop, and the users and sites that lose them. */
export function PaidEnd({ end }: { end: NonNullable<Tariff['paidEnd']> }) {
  const { stopsAt, stopped, people, sites } = end;
  const names = { people, sites: sites.map(unicodeHost) };
  return (
    <DefinitionCard
      title={(stopped ? t.tariff.paidStopped : t.tariff.paidStops)(formatDay(stopsAt))}
      lead={t.tariff.paidKept}
      rows={(['people', 'sites'] as const).map((key) => ({
        term: { people: t.tariff.paidPeople, sites: t.tariff.paidSites }[key],
        value: names[key].join(', ') || t.common.none,
      }))}
      footer={<p>{t.tariff.paidRemedy}</p>}
    />
  );
}
