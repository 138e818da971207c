import 'uplot/dist/uPlot.min.css';
import type { Statistics } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useScheme } from '../../theme/scheme.ts';
import classes from './statistics.module.css';

const HEIGHT = 240;
// The steps between the marks of an axis. uPlot's own would mark half a visit, and a day twice.
const HOURS = [3600, 10_800, 21_600];
const DAYS = [1, 2, 7, 30, 90].map((days) => days * 86_400);
const WHOLE = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

interface Shown {
  steps: Statistics['chart'];
  hourly: boolean;
  zone: string;
}

/** Bars of the visits and a line of the refusals over time, in the colours of the scheme. */
export function Chart(props: Shown) {
  const scheme = useScheme(useLocation().pathname);
  // uPlot reads its options and colours only when it is made.
  return <Plot key={`${scheme} ${props.hourly} ${props.zone}`} {...props} />;
}

function Plot({ steps, hourly, zone }: Shown) {
  const frame = useRef<HTMLElement>(null);
  const chart = useRef<uPlot>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const made = new uPlot(optionsOf(element, hourly, zone), undefined, element);
    chart.current = made;
    const sized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      made.destroy();
    };
  }, [hourly, zone]);
  useEffect(() => chart.current?.setData(dataOf(steps)), [steps]);
  return <figure ref={frame} aria-label={t.statistics.chartOf} className={classes.plot} />;
}

function dataOf(steps: Statistics['chart']): uPlot.AlignedData {
  return [
    steps.map(({ at }) => Date.parse(at) / 1000),
    steps.map(({ visits }) => visits),
    steps.map(({ refusals }) => refusals),
  ];
}

function optionsOf(element: HTMLElement, hourly: boolean, timeZone: string): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (token: string) => style.getPropertyValue(token);
  const half = hourly ? 1800 : 43_200;
  const shown = hourly
    ? ({ hour: '2-digit', minute: '2-digit' } as const)
    : ({ day: '2-digit', month: '2-digit' } as const);
  const moments = new Intl.DateTimeFormat('ru', { ...shown, timeZone });
  const format = (seconds: number) => moments.format(seconds * 1000);
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
    cursor: { drag: { setScale: false }, points: { show: false } },
    scales: {
      x: { range: (_, least, most) => [least - half, most + half] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] },
    },
    axes: [
      { ...axis, grid: { show: false }, incrs: hourly ? HOURS : DAYS, values: (_, at) => at.map(format) },
      { ...axis, incrs: WHOLE, size: 56 },
    ],
    series: [
      { label: t.statistics.time, value: (_, at) => (at === null ? '' : format(at)) },
      {
        label: t.statistics.figures.visits,
        fill: colour('--accent-text'),
        width: 0,
        paths: uPlot.paths.bars?.({ size: [0.6, 40] }),
        points: { show: false },
      },
      {
        label: t.statistics.figures.refusals,
        stroke: colour('--mantine-color-error'),
        width: 2,
        points: { show: true, size: 6 },
      },
    ],
  };
}
