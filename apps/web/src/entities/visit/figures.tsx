import { Text } from '@mantine/core';
import type { CompanyFigures } from '@propusk/contract/records';
import * as t from '@propusk/phrases/console';
import card from '../../ui/card.module.css';
import classes from './figures.module.css';
import { formatBytes, formatCount } from './visit-text.ts';

/** The four figures of a period, each with that of the previous period. @param props.isToday whether the period is today */
export function Figures(props: {
  data: Pick<CompanyFigures, 'people' | 'visits' | 'bytes' | 'refusals'>;
  isToday?: boolean;
}) {
  return (
    <dl className={classes.figures}>
      {(['people', 'visits', 'bytes', 'refusals'] as const).map((key) => {
        const { now, before } = props.data[key];
        const format = key === 'bytes' ? formatBytes : formatCount;
        const percent = before === 0 ? null : Math.round((100 * (now - before)) / before);
        return (
          <div key={key} className={card.box}>
            <dt>{t.statistics.figures[key]}</dt>
            <dd>{format(now)}</dd>
            <Text component="dd" c="dimmed">
              {props.isToday
                ? t.statistics.yesterday(format(before))
                : t.statistics.change(format(now), format(before), percent)}
            </Text>
          </div>
        );
      })}
    </dl>
  );
}
