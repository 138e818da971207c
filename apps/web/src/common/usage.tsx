import '@mantine/core/styles/Progress.css';
import { Progress } from '@mantine/core';
import { limits } from '@propusk/contract/limits';
import type { Tariff } from '@propusk/contract/tariff';
import * as t from '@propusk/phrases/console';
import { limited } from './plan-text.ts';
import classes from './usage.module.css';

/** What a company uses of each limit of its plan, as bars with figures. */
export function Usage({ plan, used }: Pick<Tariff, 'plan' | 'used'>) {
  return (
    <ul className={classes.usage}>
      {limited.map((kind) => {
        const limit = plan[kind];
        const full = limit !== null && used[kind] >= limit;
        return (
          <li key={kind}>
            <div className={classes.line}>
              <span>{t.plan.names[kind]}</span>
              <span className={classes.figure} data-full={full || undefined}>
                {t.plan.figure(used[kind], limit)}
              </span>
            </div>
            <Progress
              aria-label={t.plan.names[kind]}
              color={full ? 'var(--warning-text)' : undefined}
              value={Math.min(100, (100 * used[kind]) / (limit ?? limits.objectsPerCompany))}
            />
          </li>
        );
      })}
    </ul>
  );
}
