import type { Statistics } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import { dayOf } from '../../entities/company/zoned-days.ts';
import { formatBytes } from '../../entities/visit/visit-text.ts';
import { dayFormatIn, momentFormatIn } from '../../ui/day.tsx';
import { TwoLines } from '../../ui/two-lines.tsx';
import { toLog } from './lists.tsx';
import classes from './statistics.module.css';

/** The numbers of the chart as a table, newest first. A row opens the access log of its day. */
export function ChartTable(props: {
  steps: Statistics['chart'];
  before: Statistics['chart'] | undefined;
  hourly: boolean;
  zone: string;
}) {
  const { steps, before, hourly, zone } = props;
  const day = (at: string) => dayOf(Date.parse(at), zone);
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
          {steps
            .map(({ at, visits, refusals, bytes }, index) => (
              <tr key={at}>
                <th scope="row">{toLog(format.format(new Date(at)), { from: day(at), to: day(at) })}</th>
                <td>
                  <TwoLines
                    first={visits}
                    second={before?.[index] && t.statistics.was(before[index].visits)}
                  />
                </td>
                <td>{refusals}</td>
                <td>{formatBytes(bytes)}</td>
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </details>
  );
}
