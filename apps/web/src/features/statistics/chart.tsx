import 'uplot/dist/uPlot.min.css';
import { Group } from '@mantine/core';
import type { Statistics } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import uPlot from 'uplot';
import { dayOf } from '../../entities/company/zoned-days.ts';
import { formatCount } from '../../entities/visit/visit-text.ts';
import card from '../../ui/card.module.css';
import classes from './statistics.module.css';

const HEIGHT = 240;
// The allowed distances between the labels of an axis. uPlot's defaults would label half a visit, and one day twice.
const HOURS = [3600, 10_800, 21_600];
const DAYS = [1, 2, 7, 30, 90].map((days) => days * 86_400);
const COUNTS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

type Steps = Statistics['chart'];

interface Shown {
  steps: Steps;
  /** The hours or days of the previous period, once they have loaded. */
  before: Steps | undefined;
  hourly: boolean;
  zone: string;
  /** Called with the first and the last day (yyyy-mm-dd) that the user selected by dragging. */
  onDays: (from: string, to: string) => void;
  /** Called with the day of a clicked bar. */
  onDay: (day: string) => void;
}

/** The hour or day of the chart below the pointer, and the pointer's position in pixels. */
interface Pointed {
  index: number;
  left: number;
  /** Whether the pointer is in the right half of the chart. The tooltip is then on the pointer's left. */
  late: boolean;
}

/** A chart with bars of the visits, a pale line of the previous period's visits, and a line of the refusals. */
export function Chart({ steps, before, hourly, zone, onDays, onDay }: Shown) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const select = useEffectEvent((first: number, last: number) => {
    const [from, to] = [steps[first], steps[last]].map((step) => step && dayOf(Date.parse(step.at), zone));
    if (from && to) onDays(from, to);
  });
  const click = useEffectEvent((at: number | null | undefined) => {
    const step = steps[at ?? -1];
    if (step) onDay(dayOf(Date.parse(step.at), zone));
  });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const hooks: uPlot.Options['hooks'] = {
      setCursor: [
        ({ cursor: { idx, left = 0 }, over }) =>
          setPointed(
            idx === null || idx === undefined
              ? null
              : { index: idx, left: left + over.offsetLeft, late: left > over.clientWidth / 2 },
          ),
      ],
      setSelect: [
        (made) => {
          const { left, width } = made.select;
          if (width === 0) return;
          made.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          select(made.posToIdx(left), made.posToIdx(left + width));
        },
      ],
    };
    const made = new uPlot({ ...optionsOf(element, hourly, zone), hooks }, undefined, element);
    chart.current = made;
    // A drag ends with a click too.
    let start = 0;
    made.over.addEventListener('pointerdown', ({ clientX }) => {
      start = clientX;
    });
    made.over.addEventListener(
      'click',
      ({ clientX }) => Math.abs(clientX - start) < 4 && click(made.cursor.idx),
    );
    const sized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    const coloured = new MutationObserver(() => made.redraw(false, false));
    coloured.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => {
      sized.disconnect();
      coloured.disconnect();
      made.destroy();
    };
  }, [hourly, zone]);
  useEffect(() => chart.current?.setData(dataOf(steps, before)), [steps, before]);
  return (
    <figure aria-label={t.statistics.chartOf} className={classes.plot}>
      <div ref={frame} />
      {pointed && (
        <Tooltip
          pointed={pointed}
          step={steps[pointed.index]}
          before={before?.[pointed.index]}
          format={formatOf(hourly, zone)}
        />
      )}
      <Group component="figcaption" gap="0 20px">
        <Values
          visits={sum(steps, 'visits')}
          refusals={sum(steps, 'refusals')}
          before={before && sum(before, 'visits')}
          name={t.statistics.visitsBefore}
        />
      </Group>
    </figure>
  );
}

function Tooltip(props: {
  pointed: Pointed;
  step: Steps[number] | undefined;
  before: Steps[number] | undefined;
  format: (seconds: number) => string;
}) {
  const { pointed, step, before } = props;
  const { left } = pointed;
  if (step === undefined) return null;
  return (
    <div
      role="tooltip"
      className={`${card.box} ${classes.tooltip}`}
      style={{ left: pointed.late ? `max(0px, ${left - 216}px)` : `min(${left + 12}px, 100% - 204px)` }}
    >
      <b>{props.format(Date.parse(step.at) / 1000)}</b>
      <Values
        visits={step.visits}
        refusals={step.refusals}
        before={before?.visits}
        name={t.statistics.before}
      />
    </div>
  );
}

/** The figures of one hour or day, or of the whole period, each with the mark of its series. */
function Values(props: { visits: number; refusals: number; before: number | undefined; name: string }) {
  const { visits, refusals } = t.statistics.figures;
  const names = { visits, refusals, before: props.name };
  return (['visits', 'refusals', 'before'] as const).map((series) => {
    const value = props[series];
    return (
      value !== undefined && (
        <span key={series} data-series={series}>
          {`${names[series]}: ${formatCount(value)}`}
        </span>
      )
    );
  });
}

const sum = (steps: Steps, key: 'visits' | 'refusals') => steps.reduce((total, step) => total + step[key], 0);

function dataOf(steps: Steps, before: Steps | undefined): uPlot.AlignedData {
  return [
    steps.map(({ at }) => Date.parse(at) / 1000),
    steps.map(({ visits }) => visits),
    steps.map((_, index) => before?.[index]?.visits ?? null),
    steps.map(({ refusals }) => refusals),
  ];
}

/** Formats seconds since 1970 as a label of the time axis. */
function formatOf(hourly: boolean, timeZone: string) {
  const shown = hourly
    ? ({ hour: '2-digit', minute: '2-digit' } as const)
    : ({ day: '2-digit', month: '2-digit' } as const);
  const moments = new Intl.DateTimeFormat('ru', { ...shown, timeZone });
  return (seconds: number) => moments.format(seconds * 1000);
}

function optionsOf(element: HTMLElement, hourly: boolean, timeZone: string): uPlot.Options {
  const style = getComputedStyle(element);
  // Functions, because uPlot calls them at each draw: a change of the scheme then needs only a redraw.
  const colour = (token: string) => () => style.getPropertyValue(token);
  const half = hourly ? 1800 : 43_200;
  const format = formatOf(hourly, timeZone);
  const axis = {
    stroke: colour('--mantine-color-dimmed'),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
    cursor: {
      y: false,
      // By default uPlot takes each click beside the middle of a bar for the end of a drag, and stops it.
      drag: { setScale: false, click: () => {} },
      points: { show: false },
      move: (made, left, top) => {
        const nearest = left < 0 ? undefined : made.data[0][made.posToIdx(left)];
        return [nearest === undefined ? left : made.valToPos(nearest, 'x'), top];
      },
    },
    legend: { show: false },
    scales: {
      x: { range: (_, least, most) => [least - half, most + half] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, incrs: hourly ? HOURS : DAYS, values: (_, at) => at.map(format) },
      { ...axis, incrs: COUNTS, size: 56 },
    ],
    series: [
      {},
      {
        fill: colour('--accent-text'),
        width: 0,
        paths: uPlot.paths.bars?.({ size: [0.6, 40] }),
        points: { show: false },
      },
      {
        stroke: () => `color-mix(in srgb, ${colour('--accent-text')()} 45%, ${colour('--surface')()})`,
        width: 2,
        points: { show: false },
      },
      { stroke: colour('--mantine-color-error'), width: 2, points: { show: true, size: 6 } },
    ],
  };
}
