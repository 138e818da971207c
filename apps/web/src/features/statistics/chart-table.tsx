import type { Statistics } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { formatBytes } from '../../common/visit-text.ts';
import { dayFormatIn, momentFormatIn } from '../../ui/day.tsx';
import classes from './statistics.module.css';

/** The numbers of the chart as a table, newest first. */
export function ChartTable(props: { steps: Statistics['chart']; hourly: boolean; zone: string }) {
  const { steps, hourly, zone } = props;
  const format = hourly ? momentFormatIn(zone) : dayFormatIn(zone);
  return (
    <details>
      <summary>{t.statistics.table}</summary>
      <table className={classes.numbers}>
        <thead>
          <tr>
            <th scope="col">{t.statistics.time}</th>
            <th scope="col">{t.statistics.figures.visits}</th>
            <th scope="col">{t.statistics.figures.refusals}</th>
            <th scope="col">{t.statistics.figures.bytes}</th>
          </tr>
        </thead>
        <tbody>
          {steps.toReversed().map(({ at, visits, refusals, bytes }) => (
            <tr key={at}>
              <th scope="row">{format.format(new Date(at))}</th>
              <td>{visits}</td>
              <td>{refusals}</td>
              <td>{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
