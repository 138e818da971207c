import { NativeSelect, Skeleton, Title } from '@mantine/core';
import { listVisits, type Statistics, statistics } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { dayAgo, dayOf, startOf } from '../../entities/company/zoned-days.ts';
import { zoneLabel } from '../../entities/company/zones.ts';
import { Figures } from '../../entities/visit/figures.tsx';
import { DayInput } from '../../forms/day-input.tsx';
import { lazyPart } from '../../frame/lazy-part.tsx';
import card from '../../ui/card.module.css';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { State } from '../../ui/state.tsx';
import { ChartTable } from './chart-table.tsx';
import { Lists, type Order } from './lists.tsx';
import { Old } from './old.tsx';
import {
  type PeriodQuery,
  type PeriodSearch,
  POLL_MS,
  parsePeriod,
  periodBefore,
  queryOf,
} from './period.ts';
import classes from './statistics.module.css';

const Chart = lazyPart(() => import('./chart.tsx'), 'Chart', <div className={classes.plot} />);

/** The figures of a period, refreshed while the tab is visible. */
export function Overview({ zone }: { zone: string }) {
  const navigate = useNavigate();
  const period = parsePeriod(useSearch({ strict: false }));
  const input = queryOf(period, zone);
  const [order, setOrder] = useState<Order>('visits');
  const query = useQuery({
    ...queryOptions(statistics, { query: { ...(input ?? { from: '', to: '', step: 'day' }), topBy: order } }),
    enabled: input !== null,
    // The figures of a past period do not change any more.
    refetchInterval: () => input !== null && Date.parse(input.to) > Date.now() && POLL_MS,
    meta: { toast: false },
    placeholderData: keepPreviousData,
  });
  const go = (search: PeriodSearch) => void navigate({ to: '.', search, replace: true });
  return (
    <>
      <Period period={period} zone={zone} onPeriod={go} />
      {input === null ? (
        <Notice kind="warning">{t.statistics.tooLong}</Notice>
      ) : (
        <Loaded query={query} title={t.statistics.failed} height={600}>
          {(data) => (
            <>
              <Old query={query} zone={zone} />
              <Content data={data} input={input} isToday={period.days === 1} zone={zone} onPeriod={go}>
                <Lists data={data} days={daysOf(input, zone)} order={order} onOrder={setOrder} />
              </Content>
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

function Period(props: { period: PeriodSearch; zone: string; onPeriod: (next: PeriodSearch) => void }) {
  const { period, zone, onPeriod } = props;
  const isOwn = period.days === 'own';
  function choose(choice: string) {
    if (choice === 'own') return onPeriod({ days: 'own', from: dayAgo(6, zone), to: dayAgo(0, zone) });
    onPeriod(choice === '1' ? { days: 1 } : choice === '30' ? { days: 30 } : {});
  }
  const day = (end: 'from' | 'to') => (
    <DayInput
      inside={t.statistics[end]}
      value={period[end]}
      onDay={(value) => onPeriod({ ...period, [end]: value })}
    />
  );
  return (
    <div className={classes.filters}>
      <NativeSelect
        aria-label={t.statistics.period}
        value={String(period.days ?? 7)}
        data={([1, 7, 30, 'own'] as const).map((value) => ({
          value: String(value),
          label: t.statistics.periods[value],
        }))}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {isOwn && day('from')}
      {isOwn && day('to')}
      <span className={classes.quiet}>{t.statistics.zone(zoneLabel(zone))}</span>
    </div>
  );
}

function Content(props: {
  data: Statistics;
  input: PeriodQuery;
  isToday: boolean;
  zone: string;
  onPeriod: (next: PeriodSearch) => void;
  children: ReactNode;
}) {
  const { data, input, zone } = props;
  const navigate = useNavigate();
  const none = data.visits.now + data.visits.before + data.refusals.now + data.refusals.before === 0;
  const log = useQuery({ ...queryOptions(listVisits, { query: { take: 1 } }), enabled: none });
  const past = periodBefore(input, zone);
  const earlier = useQuery({
    ...queryOptions(statistics, { query: past }),
    enabled: !none,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { toast: false },
  });
  if (none && log.isPending) return <Skeleton height={600} aria-busy />;
  if (none && log.data?.rows.length === 0) {
    return (
      <State
        icon={<IconChartBar size={24} />}
        title={t.statistics.emptyTitle}
        hint={t.statistics.emptyHint}
      />
    );
  }
  const openLog = (day: string) =>
    void navigate({
      to: '/dashboard/creator/statistics/$part',
      params: { part: 'log' },
      search: { from: day, to: day },
    });
  const shown = {
    steps: stepsOf(data, input, zone),
    before: earlier.data && stepsOf(earlier.data, past, zone),
    hourly: input.step === 'hour',
    zone,
  };
  return (
    <>
      <Figures data={data} isToday={props.isToday} />
      <section className={`${card.box} ${classes.chart}`} aria-label={t.statistics.chart}>
        <Title order={2} mb="xs">
          {t.statistics.chart}
        </Title>
        <Chart {...shown} onDays={(from, to) => props.onPeriod({ days: 'own', from, to })} onDay={openLog} />
        <ChartTable {...shown} />
      </section>
      {props.children}
    </>
  );
}

/** The first and the last day of a period. */
const daysOf = ({ from, to }: PeriodQuery, zone: string) => ({
  from: dayOf(Date.parse(from), zone),
  to: dayOf(Date.parse(to) - 1, zone),
});

const HOUR_MS = 3_600_000;

/** The chart's hours or days from the start of the period until now. Adds those without records, which the server omits. */
function stepsOf({ chart }: Statistics, { from, to, step }: PeriodQuery, zone: string): Statistics['chart'] {
  const known = new Map(chart.map((one) => [Date.parse(one.at), one]));
  const start = Date.parse(from);
  const end = Math.min(Date.parse(to), Date.now());
  const day = dayOf(start, zone);
  const steps: Statistics['chart'] = [];
  for (;;) {
    const at = step === 'day' ? startOf(day, zone, steps.length) : new Date(start + steps.length * HOUR_MS);
    if (at.getTime() >= end) return steps;
    steps.push(known.get(at.getTime()) ?? { at: at.toISOString(), visits: 0, bytes: 0, refusals: 0 });
  }
}
