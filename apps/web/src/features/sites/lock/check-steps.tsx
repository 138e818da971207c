import type { ProbeStep } from '@propusk/contract/lock';
import * as t from '@propusk/phrases/console';
import { CheckList } from '../../../ui/check-list.tsx';
import classes from './lock-dialog.module.css';

/** The steps of a probe: from outside and through the policies' proxies. */
export function CheckSteps({ steps }: { steps: readonly ProbeStep[] }) {
  return (['outside', 'through'] as const).map((vantage) => {
    const checks = steps
      .filter((step) => step.vantage === vantage)
      .map(({ title, outcome, detail }, index) => ({
        key: `${index} ${title}`,
        title,
        state: outcome,
        says: t.lock[outcome],
        detail,
      }));
    if (checks.length === 0) return null;
    return (
      <section key={vantage} className={classes.part}>
        <div className={classes.heading}>
          <h3>{t.lock[vantage]}</h3>
        </div>
        <CheckList label={t.lock[vantage]} checks={checks} />
      </section>
    );
  });
}
