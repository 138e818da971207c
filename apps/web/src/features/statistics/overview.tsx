import { NativeSelect, Skeleton } from '@mantine/core';
import { listVisits, type Statistics, statistics } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { IconChartBar } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense } from 'react';
import { queryOptions } from '../../api/queries.ts';
import { DayInput } from '../../common/day-input.tsx';
import { Figures } from '../../common/figures.tsx';
import { lazyOptional } from '../../ui/lazy.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Failed, State } from '../../ui/state.tsx';
import { ChartTable } from './chart-table.tsx';
import { Lists } from './lists.tsx';
import { dayAgo, type PeriodSearch, POLL_MS, parsePeriod, queryOf, timeZone } from './period.ts';
import classes from './statistics.module.css';

const Chart = lazyOptional(() => import('./chart.tsx'), 'Chart');

/** The figures of a period, refreshed while the tab is visible. */
export function Overview() {
  const navigate = useNavigate();
  const period = parsePeriod(useSearch({ strict: false }));
  const input = queryOf(period);
  const query = useQuery({
    ...queryOptions(statistics, { query: input ?? { from: '', to: '', step: 'day', zone: '' } }),
    enabled: input !== null,
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  const go = (search: PeriodSearch) => void navigate({ to: '.', search, replace: true });
  return (
    <>
      <Period period={period} onPeriod={go} />
      {input === null ? (
        <Notice kind="warning">{t.statistics.tooLong}</Notice>
      ) : data ? (
        <Loaded data={data} input={input} isToday={period.days === 1} />
      ) : query.error ? (
        <Failed query={query} title={t.statistics.failed} />
      ) : (
        <Skeleton height={600} aria-busy />
      )}
    </>
  );
}

function Period({ period, onPeriod }: { period: PeriodSearch; onPeriod: (next: PeriodSearch) => void }) {
  const isOwn = period.from !== undefined || period.to !== undefined;
  function choose(choice: string) {
    if (choice === 'own') return onPeriod({ from: dayAgo(6), to: dayAgo(0) });
    onPeriod(choice === '1' ? { days: 1 } : choice === '30' ? { days: 30 } : {});
  }
  const day = (end: 'from' | 'to') => (
    <DayInput
      aria-label={t.statistics[end]}
      leftSection={<span aria-hidden="true">{t.statistics[end]}</span>}
      leftSectionWidth={40}
      value={period[end]}
      onDay={(value) => onPeriod({ ...period, [end]: value })}
    />
  );
  return (
    <div className={classes.filters}>
      <NativeSelect
        aria-label={t.statistics.period}
        value={isOwn ? 'own' : String(period.days ?? 7)}
        data={([1, 7, 30, 'own'] as const).map((value) => ({
          value: String(value),
          label: t.statistics.periods[value],
        }))}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {isOwn && day('from')}
      {isOwn && day('to')}
      <span className={classes.quiet}>{t.statistics.zone(timeZone)}</span>
    </div>
  );
}

type Input = NonNullable<ReturnType<typeof queryOf>>;

function Loaded({ data, input, isToday }: { data: Statistics; input: Input; isToday: boolean }) {
  const none = data.visits.now + data.visits.before + data.refusals.now + data.refusals.before === 0;
  const log = useQuery({ ...queryOptions(listVisits, { query: { take: 1 } }), enabled: none });
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
  const steps = stepsOf(data, input);
  return (
    <>
      <Figures data={data} isToday={isToday} />
      <section className={classes.chart} aria-label={t.statistics.chart}>
        <h2>{t.statistics.chart}</h2>
        <Suspense fallback={<div className={classes.plot} />}>
          <Chart steps={steps} hourly={input.step === 'hour'} />
        </Suspense>
        <ChartTable steps={steps} hourly={input.step === 'hour'} />
      </section>
      <Lists data={data} />
    </>
  );
}

const HOUR_MS = 3_600_000;

/** The steps of the chart from the start of the period until now. The server leaves out those without a record. */
function stepsOf({ chart }: Statistics, { from, to, step }: Input): Statistics['chart'] {
  const known = new Map(chart.map((one) => [Date.parse(one.at), one]));
  const end = Math.min(Date.parse(to), Date.now());
  const steps: Statistics['chart'] = [];
  for (const at = new Date(from); at.getTime() < end; ) {
    steps.push(known.get(at.getTime()) ?? { at: at.toISOString(), visits: 0, bytes: 0, refusals: 0 });
    if (step === 'day') at.setDate(at.getDate() + 1);
    else at.setTime(at.getTime() + HOUR_MS);
  }
  return steps;
}
