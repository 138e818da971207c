import { VisuallyHidden } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconCircleDashed, IconCircleMinus } from '@tabler/icons-react';
import classes from './check-list.module.css';

/** The state of one check. */
type CheckState = 'waiting' | 'passed' | 'failed' | 'skipped';

/** One check of the list. */
export interface Check {
  key: string;
  title: string;
  state: CheckState;
  /** The state as a word, for screen readers. */
  says: string;
  /** The result. */
  detail?: string;
}

const icons = {
  waiting: IconCircleDashed,
  passed: IconCircleCheck,
  failed: IconAlertCircle,
  skipped: IconCircleMinus,
};

/** A list of checks: icon, title, result. */
export function CheckList({ label, checks }: { label: string; checks: readonly Check[] }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {checks.map(({ key, title, state, says, detail }) => {
        const Icon = icons[state];
        return (
          <li key={key} className={classes.check} data-state={state}>
            <Icon size={18} stroke={1.75} aria-hidden />
            <span className={classes.title}>{title}</span>
            <VisuallyHidden>: {says}</VisuallyHidden>
            {detail && <span className={classes.detail}>{detail}</span>}
          </li>
        );
      })}
    </ul>
  );
}
